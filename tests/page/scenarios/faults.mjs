/** What all pages of all scenarios asked for and complained about. */

import { check, same } from "../stage.mjs";

export const scenarios = {
    async "no page asked anybody else for anything"(stage) {
        const outside = stage.requests.filter((url) => ![stage.url, stage.example].includes(new URL(url).origin));
        same(outside, [], "requests to others");
        check(stage.requests.length > 100, `only ${stage.requests.length} requests were seen`);
    },

    async "no page complained, broke its policy or opened a dialog"(stage) {
        same(stage.faults, [], "faults");
    },
};
