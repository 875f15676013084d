/** Typical uses of the types. Invalid uses are below a `@ts-expect-error`, which is an error itself if the line is valid. */

import type {
    Changes, Contribution, Contributions, Entry, MemberPosition, MemberPositionResponse, Problem, ProblemType, Receipt, StreamEvents, Top, components, paths,
} from "../../../docs/typescript/megaboard";

declare const [top, entry, place, events]: [Top, Entry, MemberPosition, StreamEvents];

export const names: string[] = top.entries.map(({ member }) => member);
export const score: number | null | undefined = entry.points;
export const laps: number | null | undefined = entry.values?.["laps"];
export const ahead: string | undefined = place.above?.member;
export const moved: [Changes, Problem] = [events.changes, events.problem];
export const gift: Contribution = { board: "gifts/room-1", member: "ada", points: 3, id: "evt-1", at: "2026-11-20T14:52:22.123000Z" };
export const gifts: Contributions = [gift, { boards: ["gifts/room-1", "gifts/eu"], member: "ben", points: 5, id: "evt-2" }];

export function whyNot(receipt: Receipt): ProblemType[] {
    return receipt.rejected.map(({ type }) => type);
}

/** The properties of the event determine whether a member is ranked. */
export function position(member: StreamEvents["member"]): number | null {
    return "position" in member ? member.position : null;
}

/** Routes have the same types. */
type Member = paths["/v1/boards/{kind}/{subject}/members/{member}"]["get"];
export const answered: MemberPositionResponse = {} as Member["responses"][200]["content"]["application/json"];
export const query: Member["parameters"]["query"] = { window: "day", target: 1 };
export const same: components["schemas"]["Entry"] = entry;

// @ts-expect-error: no such member
entry.rnak;
// @ts-expect-error: an unranked member has none
export const rank: number = entry.rank;
// @ts-expect-error: it may have values instead of points
export const points: number = entry.points;
// @ts-expect-error: there may be no entry above
place.above.member;
// @ts-expect-error: a number, not text
export const text: Contribution = { board: "gifts/room-1", member: "ada", points: "3" };
// @ts-expect-error: the member is required
export const nobody: Contribution = { board: "gifts/room-1", points: 3 };
// @ts-expect-error: not a member of contributions
export const misspelt: Contribution = { board: "gifts/room-1", member: "ada", point: 3 };
// @ts-expect-error: no such event
events.boards;
// @ts-expect-error: no such problem
export const problem: ProblemType = "unknown-bord";
// @ts-expect-error: no such route
export type NoRoute = paths["/v1/boards/{kind}/top"];
// @ts-expect-error: `top` has no such parameter
export const wrong: paths["/v1/boards/{kind}/{subject}/top"]["get"]["parameters"]["query"] = { limit: 10 };
