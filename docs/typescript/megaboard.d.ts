/**
 * The types of Megaboard's HTTP API, made from docs/openapi.json by openapi-typescript. Made again, not changed by hand:
 *
 *     npm ci --prefix tests/page --ignore-scripts && npm run types --prefix tests/page
 */

export interface paths {
    "/v1/contributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add contributions: one, an array, or a stream of lines of any length
         * @description Each contribution is applied completely or not at all; a rejected one does not affect the others. A
         *     contribution with an `id` counts once within the kind's dedupe span, however often it is sent. If a single
         *     object is rejected, the response is the problem; if all of an array or a stream are, it is `nothing-applied` with
         *     the receipt. The lines of a stream are applied in batches of 1,000, or of
         *     those received within 100 ms.
         */
        post: operations["contribute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/top": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the best n members, from the cached global board
         * @description The board is at most as old as the kind's `max_staleness`. With `fresh=true` it includes every contribution
         *     that was acknowledged before the request.
         */
        get: operations["top"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/top": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the tops of many boards */
        post: operations["tops"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/range": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a range by position, at any depth, by the first field, or after another
         * @description Requires either `from` and `to`, both inclusive, for at most 1,000 entries; or at least one of `min`, `max` and
         *     `after`. A range that exceeds the board is cut at its end. A page that more entries may follow has `next`.
         */
        get: operations["range"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the members whose first field is between two values */
        get: operations["count"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/members/{member}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a member's position
         * @description Returns its entry, position, percentile and neighbours; with `target` also the change that it needs to reach
         *     that position.
         */
        get: operations["member"];
        /**
         * Set a member's standing
         * @description Sets it in every window that contains `at`, or only in `window`.
         */
        put: operations["set_member"];
        post?: never;
        /**
         * Remove a member from a board
         * @description Removes it from all windows, or only from `window`. A member that is not there is no error.
         */
        delete: operations["remove_member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the members of a range of points or ranks
         * @description Removes all members whose first field is from `min` to `max`, or all whose rank is more than `below_rank`. Without
         *     `window` the range is that of the window `all` (of the kind's first window if it does not have that), and its
         *     members are removed from all windows; with `window`, it is that of this window, and they are removed only from it.
         *     A request takes at most 10 s: repeat it until `more` is false. Members are removed in batches, each as it was read:
         *     contributions to them meanwhile count before the removal or after it.
         */
        delete: operations["remove_members"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/members/{member}/around": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a member and its neighbours
         * @description If more entries follow the last one, the response has `next`, with which a range continues.
         */
        get: operations["around"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up many members, in the order of the request
         * @description `rank` is null for members that are not ranked.
         */
        post: operations["lookup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/rank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the rank that points would have
         * @description It is the rank of a member that reached them now.
         */
        get: operations["rank_of_points"];
        put?: never;
        /**
         * Read the rank that values would have
         * @description It is the rank of a member that reached them now.
         */
        post: operations["rank_of_values"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the top as it changes
         * @description Returns server-sent events. The event `board` has a complete `Top`; it is sent first, and whenever the top has
         *     changed. Its id is the board's `version`. With `changes=true` the events after the first are `changes`
         *     (`Changes`). With `member` there are also events `member` (`OwnPositionResponse`, or `NoPositionResponse` if the member
         *     is not ranked). With `profiles=true` entries have the profiles of their members, and a change of one is a change of
         *     the top. The event `problem` (`Problem`) is the last one of a stream that the server ends. If there are
         *     no events, a comment is sent every 15 s.
         */
        get: operations["stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stream-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token for the streams of a board
         * @description For clients that cannot send a header, such as an `EventSource`.
         */
        post: operations["stream_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the boards of a kind
         * @description Lists the boards that have had a contribution, by subject. With `order=activity` it lists those to which this server
         *     has recently written the most contributions.
         */
        get: operations["boards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/boards/{kind}/{subject}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a board's settings and windows
         * @description A board without contributions is empty.
         */
        get: operations["board"];
        /**
         * Set a board's settings
         * @description They replace all earlier settings. Once the board has contributions, its number of shards stays, and once it has
         *     ended it can only be kept longer.
         */
        put: operations["settle_board"];
        post?: never;
        /**
         * Delete a board with all its windows
         * @description Later contributions to this name create another board.
         */
        delete: operations["delete_board"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{member}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the boards that rank a member
         * @description Looks at the boards of a kind, by subject, for at most a second: repeat the request with `next` of the response as
         *     `after` until `next` is null.
         */
        get: operations["member_boards"];
        put?: never;
        post?: never;
        /**
         * Erase a member
         * @description Removes it from all windows of all boards, including ended ones, permanently, and its profiles. A request takes at
         *     most 10 s: repeat it with `next` of the response as `after` until `next` is null.
         */
        delete: operations["erase"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{member}/hidden": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds in which a member is hidden
         * @description Considers the requested kinds.
         */
        get: operations["hidden_in"];
        /**
         * Hide a member on all boards
         * @description Ranks have no gap. Its contributions are still counted.
         */
        put: operations["hide"];
        post?: never;
        /**
         * Show a hidden member again
         * @description It has the standing that it would have had.
         */
        delete: operations["show"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hidden": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members that a kind hides
         * @description There are at most 1,000.
         */
        get: operations["hidden"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/kinds/{kind}/members/{member}/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a member's profile
         * @description A kind has one for all its boards.
         */
        get: operations["profile"];
        /**
         * Set a member's profile
         * @description Replaces it as a whole. At least one of its parts is required.
         */
        put: operations["put_profile"];
        post?: never;
        /**
         * Delete a member's profile
         * @description Also succeeds if there is none.
         */
        delete: operations["delete_profile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/kinds/{kind}/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the profiles of many members
         * @description Each line has a member and its profile, or null to delete it: at most 1,000 lines. They take effect in order. A line
         *     that is wrong does not affect the others.
         */
        post: operations["put_profiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all kinds */
        get: operations["kinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/kinds/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a kind */
        get: operations["kind"];
        /**
         * Create or change a kind
         * @description A missing setting has its default. Few settings of a kind with boards may change; other changes are rejected
         *     with the reason. Only an `admin` key that is not restricted to kinds can add, change and remove `publish`; with
         *     other keys it has to be repeated unchanged.
         */
        put: operations["put_kind"];
        post?: never;
        /** Delete a kind without boards */
        delete: operations["delete_kind"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description The lines of this server's own audit log, the newest first. Requires an admin key for all kinds.
         */
        get: operations["audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the configured keys
         * @description By name, without their hashes. Requires an admin key for all kinds.
         */
        get: operations["keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process responds */
        get: operations["alive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the store responds and the server is not stopping */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics
         * @description For Prometheus, as `OpenMetrics`; `docs/operations.md` lists them.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show this document as a page */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Alive: {
            /**
             * @description `alive`.
             * @example alive
             */
            status: string;
        };
        /** @description One line of the audit log. An operation has two of them, `begun` and `ended`, with the same `operation`. */
        AuditLine: {
            /**
             * Format: date-time
             * @description When it was written.
             */
            at: string;
            /** @description Identifies the operation; not in `refused`. */
            operation?: string;
            /**
             * @description `begun`, `ended`, or `refused`: the request was rejected before it changed anything.
             * @example begun
             */
            event: string;
            /** @description The name of the key; not in `ended`, and not without keys. */
            key?: string;
            /** @description The client's address; not in `ended`. */
            address?: string;
            /** @description The method of the request; not in `ended`. */
            method?: string;
            /** @description The path and query of the request, cut to 512 characters; not in `ended`. */
            path?: string;
            /** @description The `X-Request-Id` of the response. */
            request_id?: string;
            /**
             * Format: int32
             * @description The status of the response; not in `begun`.
             */
            status?: number;
            /**
             * Format: int64
             * @description How many refused requests before this one have no line.
             */
            unlisted?: number;
            /** @description What was erased or removed. */
            details?: Record<string, never>;
        };
        /** @description Lines of the audit log, the newest first. */
        AuditPage: {
            /** @description The newest first. */
            entries: components["schemas"]["AuditLine"][];
            /** @description To be passed as `before` for older entries; null at the end. */
            next: string | null;
        };
        BoardResponse: components["schemas"]["Envelope"] & (components["schemas"]["Expiry"] & {
            /**
             * Format: int32
             * @description Over how many its members are spread.
             */
            shards: number;
            /**
             * @description Where it is kept.
             * @example embedded
             */
            store: string;
            /** @description The windows that hold something. */
            windows: components["schemas"]["Window"][];
        });
        /**
         * @description The settings of one board, at least one of them. A missing setting is reset to that of the kind; a missing number of
         *     shards of a board with contributions stays as it is.
         */
        BoardSettings: {
            /**
             * Format: int64
             * @description A power of two.
             * @example 64
             */
            shards?: number | null;
            starts_at?: components["schemas"]["Moment"] | null;
            ends_at?: components["schemas"]["Moment"] | null;
            /**
             * @description How long the board is kept after `ends_at`.
             * @example 7d
             */
            expires_after?: string | null;
            /**
             * @description After how long without a write the board is deleted, with all its windows; at least `dedupe` of its kind. Excludes
             *     `ends_at`.
             * @example 30d
             */
            idle?: string | null;
        };
        /** @description Boards of a kind. */
        Boards: {
            kind: string;
            /** @description By subject, or the busiest first. */
            boards: components["schemas"]["Listed"][];
            /** @description The subject to go on `after`; null at the end, and with `order=activity`. */
            next: string | null;
        };
        /**
         * @description What moved in a top, as event `changes` of a stream shows it. Take out whom any list names, then put
         *     the entries at their positions.
         */
        Changes: components["schemas"]["Envelope"] & {
            /** @description True while the store is away: the last board that was seen. */
            stale?: boolean;
            /** @description Who was not there before. */
            entered: components["schemas"]["Moved"][];
            /** @description The members who are there no more. */
            left: string[];
            /** @description Who climbed. */
            up: components["schemas"]["Moved"][];
            /** @description Who fell. */
            down: components["schemas"]["Moved"][];
            /** @description Who stands where they stood, with other values. */
            changed: components["schemas"]["Moved"][];
        };
        /** @description A contribution of a member to one or several boards. */
        Contribution: {
            /**
             * @description The board, kind and subject. Exactly one of `board` and `boards` is required.
             * @example gifts/room-8842
             */
            board?: string | null;
            /** @description Several boards, in all of which the contribution counts fully. Requires an `id`. */
            boards?: string[] | null;
            /**
             * @description The member: 1 to 128 bytes of UTF-8 without control characters.
             * @example u1
             */
            member: string;
            points?: components["schemas"]["Integer"] | null;
            values?: components["schemas"]["FieldValues"] | null;
            /**
             * @description A contribution with an id counts once for its board and member within the kind's dedupe span.
             * @example evt-1
             */
            id?: string | null;
            at?: components["schemas"]["Moment"] | null;
            /** @description The values replace the standing instead of changing it. */
            set?: boolean;
            /** @description Removes the member instead: without values, `at` and `id`. A member that is not there is no error. */
            remove?: boolean;
            /**
             * @description With `set` or `remove`: the only window that is changed.
             * @example day:2026-11-20
             */
            window?: string | null;
        };
        /** @description One contribution, or an array of them: at most 100,000. */
        Contributions: components["schemas"]["Contribution"] | components["schemas"]["Contribution"][];
        CountResponse: components["schemas"]["Envelope"] & {
            /**
             * Format: int64
             * @description How many members those are.
             */
            count: number;
        };
        /** @description A season begins at each of these times. */
        Cron: {
            /**
             * @description Minute, hour, day of the month, month and day of the week, by the local clock.
             * @example 0 5 1 1,4,7,10 *
             */
            cron: string;
        };
        /** @description A member with its standing: `points`, or `values` of kinds with other fields. */
        Entry: {
            /** @description For kinds whose only field is `points`. */
            points?: number | null;
            /** @description For all other kinds: the fields by name, null if a field has no value yet. */
            values?: {
                [key: string]: number | null;
            };
        } & {
            /**
             * Format: int64
             * @description The rank by the kind's rank style; null if the member is not ranked.
             */
            rank: number | null;
            /**
             * Format: int64
             * @description Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
             *     rank.
             */
            position?: number | null;
            /**
             * @description The member.
             * @example u1
             */
            member: string;
            /**
             * Format: date-time
             * @description When the standing was reached.
             */
            reached_at: string;
            /** @description With `profiles`: the member's profile, if it has one. */
            profile?: components["schemas"]["ShownProfile"];
        };
        EntryPageResponse: components["schemas"]["Envelope"] & {
            entries: components["schemas"]["Entry"][];
            /** @description If there may be more entries: `after` of the next page. */
            next?: string;
        };
        /** @description The part that all responses about a board have in common. */
        Envelope: components["schemas"]["Span"] & {
            /**
             * @description The board, kind and subject.
             * @example gifts/room-8842
             */
            board: string;
            /**
             * @description The full name of the window.
             * @example day:2026-11-20
             */
            window: string;
            /** @description Equal versions mean equal boards, on every server. */
            version: string;
            /**
             * Format: date-time
             * @description When the read of the store began.
             */
            as_of: string;
            /**
             * Format: int64
             * @description The number of ranked members.
             */
            members: number;
            /**
             * Format: int64
             * @description For kinds that rank only their best members: the maximum number of them.
             */
            listed?: number;
            /** @description True once the window, or the board, has ended and no longer changes. */
            final?: boolean;
        };
        /** @description How far a member is erased. */
        Erased: {
            /**
             * Format: int64
             * @description Boards that were looked at.
             */
            boards: number;
            /**
             * Format: int64
             * @description Those of them that it stood on.
             */
            erased: number;
            /** @description Where to go on, as `after` takes it; null at the end. */
            next: string | null;
        };
        /** @description How long a board is kept, if that is limited. */
        Expiry: {
            /**
             * @description How long the board is kept after its end.
             * @example 7d
             */
            expires_after?: string;
            /**
             * Format: date-time
             * @description When the board expires.
             */
            expires_at?: string;
            /**
             * @description After how long without a write the board is deleted.
             * @example 30d
             */
            idle?: string;
        };
        /** @description A field: an exact integer that members are ordered by. */
        Field: {
            /**
             * @description The name in contributions and responses.
             * @example points
             */
            name: string;
            /** @description Whether greater (`desc`) or smaller (`asc`) values are better. */
            order?: components["schemas"]["Order"];
            op?: components["schemas"]["Op"] | null;
        };
        /**
         * @description Integers by the names of fields. A null field is omitted.
         * @example {
         *       "agree": 1,
         *       "comments": 0
         *     }
         */
        FieldValues: {
            [key: string]: number | null;
        };
        /** @description The result of a lookup: an entry, or `rank` null if the member is not ranked. */
        Found: {
            /** @description For kinds whose only field is `points`. */
            points?: number | null;
            /** @description For all other kinds: the fields by name, null if a field has no value yet. */
            values?: {
                [key: string]: number | null;
            };
        } & {
            /**
             * Format: int64
             * @description The rank; null if the member is not ranked.
             */
            rank: number | null;
            /**
             * Format: int64
             * @description Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
             *     rank.
             */
            position?: number | null;
            /**
             * @description The requested member.
             * @example u1
             */
            member: string;
            /**
             * Format: date-time
             * @description When the standing was reached, if there is one.
             */
            reached_at?: string;
            /** @description With `profiles`: the member's profile, if it has one. */
            profile?: components["schemas"]["ShownProfile"];
        };
        FoundListResponse: components["schemas"]["Envelope"] & {
            entries: components["schemas"]["Found"][];
        };
        /** @description Whom a kind hides. */
        Hidden: {
            kind: string;
            hidden: string[];
        };
        /** @description In which kinds a member is hidden. */
        HiddenIn: {
            member: string;
            /** @description Of the kinds that were asked about. */
            hidden_in: string[];
        };
        /** @description Kept until nothing was written to the board for this time. */
        Idle: {
            /** @example 7d */
            idle: string;
        };
        /**
         * @description An integer within ±(2^53 − 1).
         * @example 3
         */
        Integer: number;
        /** @description An item that was not applied. */
        Item: {
            /** @description Its place in the request, from 0. */
            index: number;
            /** @description The board, where the item names one. */
            board?: string;
            type: components["schemas"]["ProblemType"];
            /** @description What is wrong: names the field and its value. */
            detail: string;
        };
        /** @description `"48h"`, `"forever"`, or `{ idle = "7d" }`. */
        Keep: string | components["schemas"]["Idle"];
        /** @description A configured key. */
        Key: {
            /** @description The name in logs and error messages. */
            name: string;
            /**
             * @description `read`, `write` or `admin`; each includes those before it.
             * @example write
             */
            scope: string;
            /** @description The kinds whose boards it may access. Left out: all kinds. */
            kinds?: string[];
            /**
             * Format: int32
             * @description How many requests it may make a second, on average. Left out: unlimited.
             */
            requests_per_second?: number;
            /**
             * Format: int32
             * @description How many requests it may make at once. Left out: unlimited.
             */
            burst?: number;
            /**
             * Format: date-time
             * @description When it ends. Left out: never.
             */
            expires_at?: string;
            /** @description Whether it has ended. */
            expired: boolean;
        };
        /** @description All configured keys. */
        Keys: {
            /** @description By name; empty if no keys are configured. */
            keys: components["schemas"]["Key"][];
        };
        /** @description A kind's settings, with their defaults. The same in JSON and in TOML. */
        Kind: {
            /**
             * @description The name. Responses have it; in a request it must be that of the path.
             * @example gifts
             */
            kind?: string | null;
            /**
             * @description How contributions fold into a standing.
             * @default accumulate
             */
            mode?: components["schemas"]["Mode"];
            /**
             * @description The fields that members are ordered by, the first one first.
             * @default [
             *       {
             *         "name": "points",
             *         "order": "desc"
             *       }
             *     ]
             */
            fields?: components["schemas"]["Field"][];
            /**
             * @description How members with equal fields rank. `dense` excludes `packed`, and on Redis `retain` and more than one shard.
             * @default ordinal
             */
            rank?: components["schemas"]["RankStyle"];
            /**
             * @description Which of two members with equal fields is better.
             * @default earliest
             */
            ties?: components["schemas"]["Ties"];
            /**
             * @description `hour`, `2h`, `3h`, `4h`, `6h`, `8h`, `12h`, `day`, `week`, `2w`, `3w`, `4w`, `month`, `6w`, `8w`, `12w`, `quarter`,
             *     `year`, `season`, `all`: at least one. Reads without a window use the first.
             * @default [
             *       "hour",
             *       "day",
             *       "week",
             *       "month",
             *       "all"
             *     ]
             */
            windows?: string[];
            /**
             * @description A name of the IANA time zone database.
             * @default UTC
             */
            time_zone?: string;
            /**
             * @description The local time at which days begin, and with them their parts, weeks, months, quarters and years. A day has the
             *     date on which it begins.
             * @default 00:00
             * @example 05:00
             */
            day_starts_at?: string;
            /**
             * @description The day on which weeks begin. Week 1 of a year is the first with four days in it.
             * @default monday
             */
            week_starts_on?: components["schemas"]["Weekday"];
            /**
             * Format: date
             * @description The date from which windows of several weeks (`2w` to `12w`) are counted: one begins on it. Defaults to the first
             *     `week_starts_on` of 1970.
             * @example 2026-01-05
             */
            weeks_count_from?: string;
            /**
             * @description The seasons of the window `season`, which requires them: named ones, or the times of a cron expression.
             * @default null
             */
            seasons?: components["schemas"]["Seasons"];
            /**
             * Format: int64
             * @description The shards of new boards: a power of two. Defaults to 16; on the embedded store to twice the cores that the server
             *     may use, rounded up to a power of two, from 4 to 16.
             */
            shards?: number;
            /**
             * Format: int64
             * @description The depth of the cached global board. Defaults to 1,000, or to `retain.keep` if that is less.
             */
            top?: number;
            /**
             * @description How old a cached response may be.
             * @default 200ms
             */
            max_staleness?: string;
            /**
             * @description How long each window is kept after its end.
             * @default {}
             */
            keep?: {
                [key: string]: components["schemas"]["Keep"];
            };
            /**
             * @description How long after its end a window accepts late contributions.
             * @default {}
             */
            close?: {
                [key: string]: string;
            };
            /**
             * @description How long an id is remembered.
             * @default 1h
             */
            dedupe?: string;
            /**
             * @description After how long without a contribution a member leaves the window `all`.
             * @example 30d
             */
            score_ttl?: string;
            /**
             * @description Ranks only the best members.
             * @default null
             */
            retain?: components["schemas"]["Retain"];
            /**
             * @description Declares the range of values, so that the score and the time fit into one number.
             * @default null
             */
            packed?: components["schemas"]["Packed"];
            /** @default null */
            publish?: components["schemas"]["Publish"] | null;
            /**
             * @description Lets everybody read the kind's boards, without a key.
             * @default false
             */
            public_read?: boolean;
        };
        Kinds: {
            /** @description Those that the caller may read. */
            kinds: components["schemas"]["Kind"][];
        };
        /** @description A board of a list. */
        Listed: components["schemas"]["Span"] & {
            /** @description Kind and subject. */
            board: string;
            subject: string;
            /**
             * Format: int32
             * @description Over how many its members are spread.
             */
            shards: number;
            /**
             * Format: double
             * @description With `order=activity`: the contributions per minute that this server has written, averaged with a half-life of a
             *     minute.
             */
            contributions_per_minute?: number;
        };
        /** @description Members to look up. */
        Lookup: {
            /** @description At most 1,000. */
            members: string[];
        };
        /** @description A board that ranks the member. */
        MemberBoard: {
            /** @description Kind and subject. */
            board: string;
            /** @description The windows that rank it, in the order of the kind. */
            windows: components["schemas"]["WrittenStanding"][];
        };
        /** @description The boards of a kind that rank a member. */
        MemberBoards: {
            member: string;
            kind: string;
            /** @description By subject. */
            boards: components["schemas"]["MemberBoard"][];
            /**
             * Format: int64
             * @description Boards of the kind that were looked at.
             */
            looked_at: number;
            /** @description The subject to go on `after`; null at the end. */
            next: string | null;
        };
        /** @description A member with its position. All but the standing is null if the member is not among the best that its kind ranks. */
        MemberPosition: components["schemas"]["Entry"] & {
            /**
             * Format: int64
             * @description 1 is best. No two members have the same position.
             */
            position: number | null;
            /**
             * Format: double
             * @description 100 · (members − position) / (members − 1); 100 for the first.
             */
            percentile: number | null;
            above: components["schemas"]["Neighbour"] | null;
            below: components["schemas"]["Neighbour"] | null;
            /** @description With `target`: the smallest change of the first field with which the position is at most the target; null if no change is sufficient. */
            to_target?: number | null;
        };
        MemberPositionResponse: components["schemas"]["Envelope"] & (components["schemas"]["Entry"] & {
            /**
             * Format: int64
             * @description 1 is best. No two members have the same position.
             */
            position: number | null;
            /**
             * Format: double
             * @description 100 · (members − position) / (members − 1); 100 for the first.
             */
            percentile: number | null;
            above: components["schemas"]["Neighbour"] | null;
            below: components["schemas"]["Neighbour"] | null;
            /** @description With `target`: the smallest change of the first field with which the position is at most the target; null if no change is sufficient. */
            to_target?: number | null;
        });
        /**
         * @description How contributions fold into a standing.
         * @enum {string}
         */
        Mode: "accumulate" | "best" | "latest";
        /**
         * @description RFC 3339, of which six fractional digits are kept, or integer epoch milliseconds or microseconds.
         * @example 2026-11-20T14:52:22.123456Z
         */
        Moment: string | number;
        /** @description An entry at its position. */
        Moved: components["schemas"]["Entry"] & {
            /**
             * Format: int64
             * @description Counted from 1.
             */
            position: number;
            /**
             * Format: int64
             * @description Of those who climbed or fell: the position before.
             */
            was?: number;
        };
        /** @description A neighbour of a member. */
        Neighbour: components["schemas"]["Entry"] & {
            /**
             * Format: int64
             * @description The difference in the first field; null if one of the two has no value.
             */
            gap: number | null;
        };
        NoPositionResponse: components["schemas"]["Envelope"] & {
            /**
             * Format: int64
             * @description Null.
             */
            rank: number | null;
            /** @description Who. */
            member: string;
        };
        /**
         * @description How contributions change a field.
         * @enum {string}
         */
        Op: "sum" | "max" | "min" | "last";
        /**
         * @description Whether greater (`desc`) or smaller (`asc`) values are better.
         * @enum {string}
         */
        Order: "desc" | "asc";
        OwnPositionResponse: components["schemas"]["Envelope"] & (components["schemas"]["MemberPosition"] & {
            /** @description Where the member has fallen: who of the ten directly above was not among them before. */
            overtaken_by: string[];
        });
        /**
         * @description The range of the values of a packed kind, and the unit of its times.
         *
         *     `{ most = 1000000, unit = "1s", from = "2026-01-01T00:00:00Z", until = "2036-01-01T00:00:00Z" }`.
         */
        Packed: {
            /**
             * Format: int64
             * @description The largest value; the smallest is 0.
             */
            most: number;
            /**
             * @description The unit of times, a second or a part of it.
             * @default 1s
             */
            unit?: string;
            /** Format: date-time */
            from?: string;
            /** Format: date-time */
            until?: string;
        };
        /** @description A contribution that did not count in all windows of its kind. */
        Partial: {
            /** @description Its place in the request, from 0. */
            index: number;
            board: string;
            /**
             * @description The periods in whose windows it did not count.
             * @example [
             *       "hour"
             *     ]
             */
            left_out: string[];
        };
        /** @description What went wrong (RFC 9457). A few problems have further members, such as the receipt so far. */
        Problem: {
            type: components["schemas"]["ProblemType"];
            /** @description The same for all of a type. */
            title: string;
            /**
             * Format: int32
             * @description The status of the answer.
             */
            status: number;
            /** @description What is wrong here: names the field and its value, in at most 200 characters. */
            detail: string;
        };
        /**
         * @description What went wrong, as a stable word.
         * @enum {string}
         */
        ProblemType: "malformed" | "invalid" | "unauthorized" | "forbidden" | "unknown-kind" | "unknown-board" | "unknown-window" | "unknown-path" | "not-ranked" | "not-listed" | "no-profile" | "no-audit-log" | "method-not-allowed" | "unknown-host" | "too-slow" | "conflict" | "board-exists" | "kind-has-boards" | "window-gone" | "precondition-failed" | "too-large" | "unsupported-media-type" | "out-of-range" | "window-closed" | "not-open" | "from-the-future" | "nothing-applied" | "too-many-requests" | "overloaded" | "unavailable" | "unknown";
        /** @description A member's profile. At least one of its parts is required; one that is null counts as left out. */
        Profile: {
            /**
             * @description What the member is called: 1 to 64 characters, none of them a control character.
             * @example Ann
             */
            name?: string | null;
            /**
             * @description The URL of an image, `https` or `http`: at most 1,024 bytes.
             * @example https://img.example/ann.png
             */
            avatar?: string | null;
            /** @description Any JSON, at most 1,024 bytes without white space, and 32 levels of arrays and objects. */
            data?: unknown;
        };
        /** @description A member and its profile, one line of many. */
        ProfileLine: {
            /**
             * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
             * @example u1
             */
            member: string;
            profile: components["schemas"]["Profile"] | null;
        };
        /** @description What was done with the lines of a request. */
        ProfilesReceipt: {
            /**
             * Format: int64
             * @description Lines whose profiles were set.
             */
            put: number;
            /**
             * Format: int64
             * @description Lines whose profiles were deleted, or were not there.
             */
            deleted: number;
            /** @description All other lines: they are wrong, and have no effect. */
            rejected: components["schemas"]["RejectedProfile"][];
        };
        /** @description Publishes the top of a kind's boards to another server. */
        Publish: {
            /**
             * @description The name of a configured target.
             * @example readers
             */
            target: string;
            /**
             * @description The template of the key of a board's window at the target.
             * @example leaderboard:{subject}:{period}
             */
            key: string;
            /** @description The periods that are published. Defaults to all of the kind. */
            windows?: string[];
            /**
             * @description The encoding of scores in the sorted set.
             * @example plain
             */
            encoding?: string | null;
            /**
             * Format: int64
             * @description The number of entries. Defaults to the kind's `top`.
             */
            top?: number | null;
            /**
             * @description The minimum interval between two publications of a window.
             * @example 1s
             */
            every?: string | null;
        };
        RankResponse: components["schemas"]["Envelope"] & {
            /**
             * Format: int64
             * @description What the kind's rank style makes of the position.
             */
            rank: number | null;
            /**
             * Format: int64
             * @description 1 is best.
             */
            position: number | null;
        };
        /**
         * @description Whether members with equal fields share a rank: not with `ordinal`, but with `competition` (1 2 2 4) and `dense` (1 2 2 3).
         * @enum {string}
         */
        RankStyle: "ordinal" | "competition" | "dense";
        Ready: {
            /**
             * @description `ready`.
             * @example ready
             */
            status: string;
            /**
             * @description Where boards are kept.
             * @example embedded
             */
            store: string;
        };
        /** @description Counts of outcomes, by contribution and board, and the items that were not applied. */
        Receipt: {
            /**
             * Format: int64
             * @description Counted now.
             */
            applied: number;
            /**
             * Format: int64
             * @description Counted before, under the same id.
             */
            duplicates: number;
            /**
             * Format: int64
             * @description Of a request with removals: how many members were removed. Removals of members that were not there count as
             *     applied, too.
             */
            removed?: number;
            /**
             * Format: int64
             * @description How many of the applied did not count in all windows of their kind: in some their time is closed or no longer
             *     kept. Left out if none.
             */
            partial_count?: number;
            /** @description The first 100 of them. Fewer while receipts or unread answers have no room for more. */
            partial?: components["schemas"]["Partial"][];
            /**
             * Format: int64
             * @description Wrong: never to be sent again.
             */
            rejected_count: number;
            /** @description The first 1,000 of them, and at most a mebibyte. Fewer while receipts or unread answers have no room for more. */
            rejected: components["schemas"]["Item"][];
            /**
             * Format: int64
             * @description Not taken by the store.
             */
            failed_count: number;
            /**
             * @description The first of them, with the same limits. `overloaded` and `unavailable` ones were not applied; `unknown`
             *     ones may have been.
             */
            failed: components["schemas"]["Item"][];
            /** @description Of a stream: how many lines were taken. */
            read?: number;
            /** @description With `return`: of each that was applied or a duplicate. */
            standings?: components["schemas"]["Written"][];
        };
        /** @description A line that is wrong. */
        RejectedProfile: {
            /** @description Its index, from 0. */
            index: number;
            /** @description What went wrong, as a stable word. */
            type: string;
            /** @description What is wrong with which part of it. */
            detail: string;
        };
        /** @description What a removal did. */
        Removed: {
            /**
             * Format: int64
             * @description How many members were removed.
             */
            removed: number;
            /** @description Of a range: the window that it is of. */
            window?: string;
            /** @description Of a range: whether more members may be left, so that the request is to be repeated. */
            more?: boolean;
        };
        /**
         * @description Ranks only the best members of a board.
         *
         *     `{ keep = 1000, trim_at = 1200, approximate = true }`.
         */
        Retain: {
            /**
             * Format: int64
             * @description The number of ranked members.
             */
            keep: number;
            /**
             * Format: int64
             * @description The length at which a shard's list is trimmed.
             */
            trim_at?: number;
            /** @description Permits kinds whose contributions can lower a standing. */
            approximate?: boolean;
        };
        /** @description A standing: `points`, or `values`. */
        Score: {
            points?: components["schemas"]["Integer"] | null;
            values?: components["schemas"]["FieldValues"] | null;
        };
        /** @description A season. It lasts until the next one begins. */
        Season: {
            /**
             * @description 1 to 64 letters, digits, `-`, `_` and `.`.
             * @example spring-2026
             */
            name: string;
            /**
             * @description A local date, for midnight, or a local time to the minute.
             * @example 2026-03-01T05:00
             */
            starts_at: string;
        };
        /** @description `{ cron = "0 5 1 1,4,7,10 *" }`, or `[{ name = "spring-2026", starts_at = "2026-03-01" }]`. */
        Seasons: components["schemas"]["Cron"] | components["schemas"]["Season"][];
        /** @description What holds of a board from now on. */
        Settled: components["schemas"]["Span"] & components["schemas"]["Expiry"] & {
            /** @description Kind and subject. */
            board: string;
            /**
             * Format: int32
             * @description Over how many its members are spread.
             */
            shards: number;
        };
        /** @description A member's profile. */
        ShownProfile: {
            /**
             * @description What the member is called.
             * @example Ann
             */
            name?: string;
            /**
             * @description The URL of an image.
             * @example https://img.example/ann.png
             */
            avatar?: string;
            /** @description Any JSON. */
            data?: unknown;
        };
        /** @description The time in which a board accepts contributions, if it is limited. */
        Span: {
            /**
             * Format: date-time
             * @description Contributions with an earlier time are rejected.
             */
            starts_at?: string;
            /**
             * Format: date-time
             * @description Contributions from this time on are rejected.
             */
            ends_at?: string;
        };
        /** @description A standing that replaces the current one. */
        Standing: {
            points?: components["schemas"]["Integer"] | null;
            values?: components["schemas"]["FieldValues"] | null;
            /**
             * @description A request with an id counts once within the kind's dedupe span.
             * @example set-1
             */
            id?: string | null;
            at?: components["schemas"]["Moment"] | null;
        };
        StreamToken: {
            /** @description For `?token=` of the board's stream. */
            token: string;
            /**
             * Format: date-time
             * @description No stream begins with it after that.
             */
            expires_at: string;
        };
        /** @description What a token is wanted for. */
        StreamTokenWanted: {
            /**
             * @description Kind and subject.
             * @example gifts/room-8842
             */
            board: string;
            /**
             * @description How long it holds, 1 s to 1 h: 10 minutes by default.
             * @example 10m
             */
            ttl?: string | null;
        };
        /**
         * @description Which of two members with equal fields is better.
         * @enum {string}
         */
        Ties: "earliest" | "latest" | "member";
        /** @description The best entries of a board. */
        Top: components["schemas"]["Envelope"] & {
            /** @description True while the store is unavailable: this is the last board that was read. */
            stale?: boolean;
            /** @description The entries, best first. */
            entries: components["schemas"]["Entry"][];
        };
        /** @description The tops of several boards, in the order of the request. */
        Tops: {
            boards: components["schemas"]["Top"][];
        };
        /** @description Boards whose tops are wanted. */
        TopsWanted: {
            /** @description At most 100, each named once. */
            boards: string[];
            /** @description As reads of one board have it. */
            window?: string | null;
            /**
             * Format: int64
             * @description How many entries of each, up to the kind's `top`: 10 by default.
             */
            n?: number | null;
            /** @description Answers from merges that began after the request came. */
            fresh?: boolean;
            /** @description Adds the profiles of the members. */
            profiles?: boolean;
        };
        /**
         * @description A day of the week.
         * @enum {string}
         */
        Weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
        /** @description A window of a board. */
        Window: {
            /**
             * @description Its whole name.
             * @example day:2026-11-20
             */
            window: string;
            /**
             * Format: int64
             * @description How many are ranked in it.
             */
            members: number;
        };
        /** @description One contribution on one board: its member's standing in each window after it. */
        Written: {
            /** @description Its place in the request, from 0. */
            index: number;
            board: string;
            member: string;
            windows: components["schemas"]["WrittenStanding"][];
        };
        /** @description A member's standing in one window after a contribution. */
        WrittenStanding: {
            /** @description For kinds whose only field is `points`. */
            points?: number | null;
            /** @description For all other kinds: the fields by name, null if a field has no value yet. */
            values?: {
                [key: string]: number | null;
            };
        } & {
            /**
             * @description The full name of the window.
             * @example day:2026-11-20
             */
            window: string;
            /**
             * Format: date-time
             * @description When the standing was reached.
             */
            reached_at: string;
            /** @description The rank by the kind's rank style; null if the member is not ranked. After a contribution only with `return=ranks`. */
            rank?: number | null;
            /** @description 1 is best; null if the member is not ranked. After a contribution only with `return=ranks`. */
            position?: number | null;
            /** @description With `previous_rank`: the rank right before the request; null if the member was not ranked. */
            previous_rank?: number | null;
        };
    };
    responses: {
        /** @description `conflict`: Conflict. */
        conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind gifts is being changed by another request: retry",
                 *       "status": 409,
                 *       "title": "Conflict",
                 *       "type": "conflict"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "conflict";
                };
            };
        };
        /**
         * @description `conflict`: Conflict.
         *
         *     `board-exists`: Board already exists.
         */
        "conflict.board-exists": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind gifts is being changed by another request: retry",
                 *       "status": 409,
                 *       "title": "Conflict",
                 *       "type": "conflict"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "conflict" | "board-exists";
                };
            };
        };
        /**
         * @description `conflict`: Conflict.
         *
         *     `kind-has-boards`: Kind has boards.
         */
        "conflict.kind-has-boards": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind gifts is being changed by another request: retry",
                 *       "status": 409,
                 *       "title": "Conflict",
                 *       "type": "conflict"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "conflict" | "kind-has-boards";
                };
            };
        };
        /** @description `forbidden`: Not permitted. */
        forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "key \"stream-ingest\" has scope write; this request requires admin",
                 *       "status": 403,
                 *       "title": "Not permitted",
                 *       "type": "forbidden"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "forbidden";
                };
            };
        };
        /** @description `invalid`: Invalid request. */
        invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "n: \"0\" is not a whole number from 1 to 1000",
                 *       "status": 400,
                 *       "title": "Invalid request",
                 *       "type": "invalid"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "invalid";
                };
            };
        };
        /**
         * @description `invalid`: Invalid request.
         *
         *     `malformed`: Malformed JSON.
         */
        "invalid.malformed": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "n: \"0\" is not a whole number from 1 to 1000",
                 *       "status": 400,
                 *       "title": "Invalid request",
                 *       "type": "invalid"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "invalid" | "malformed";
                };
            };
        };
        /** @description `no-audit-log`: No audit log. */
        "no-audit-log": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "this server writes no audit log: start it with --audit-log FILE",
                 *       "status": 404,
                 *       "title": "No audit log",
                 *       "type": "no-audit-log"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "no-audit-log";
                };
            };
        };
        /** @description `not-open`: Board not open. */
        "not-open": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "at: 2026-11-20T14:52:22.123456Z is outside of the board's activity, from 2026-11-20T20:00:00.000000Z until 2026-11-20T20:15:00.000000Z",
                 *       "status": 422,
                 *       "title": "Board not open",
                 *       "type": "not-open"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "not-open";
                };
            };
        };
        /** @description `out-of-range`: Value out of range. */
        "out-of-range": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "points: 9007199254740992 is outside ±9007199254740991",
                 *       "status": 422,
                 *       "title": "Value out of range",
                 *       "type": "out-of-range"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "out-of-range";
                };
            };
        };
        /**
         * @description `out-of-range`: Value out of range.
         *
         *     `window-closed`: Windows closed.
         *
         *     `not-open`: Board not open.
         *
         *     `from-the-future`: Time in the future.
         */
        "out-of-range.window-closed.not-open.from-the-future": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "points: 9007199254740992 is outside ±9007199254740991",
                 *       "status": 422,
                 *       "title": "Value out of range",
                 *       "type": "out-of-range"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "out-of-range" | "window-closed" | "not-open" | "from-the-future";
                };
            };
        };
        /**
         * @description `out-of-range`: Value out of range.
         *
         *     `window-closed`: Windows closed.
         *
         *     `not-open`: Board not open.
         *
         *     `from-the-future`: Time in the future.
         *
         *     `nothing-applied`: Nothing applied.
         */
        "out-of-range.window-closed.not-open.from-the-future.nothing-applied": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "points: 9007199254740992 is outside ±9007199254740991",
                 *       "status": 422,
                 *       "title": "Value out of range",
                 *       "type": "out-of-range"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "out-of-range" | "window-closed" | "not-open" | "from-the-future" | "nothing-applied";
                };
            };
        };
        /** @description `overloaded`: Overloaded. */
        overloaded: {
            headers: {
                /** @description The seconds after which to retry. */
                "retry-after"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "8192 requests are under way already",
                 *       "status": 503,
                 *       "title": "Overloaded",
                 *       "type": "overloaded"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "overloaded";
                };
            };
        };
        /**
         * @description `overloaded`: Overloaded.
         *
         *     `unavailable`: Store unavailable.
         *
         *     `unknown`: Outcome unknown.
         */
        "overloaded.unavailable.unknown": {
            headers: {
                /** @description The seconds after which to retry. */
                "retry-after"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "8192 requests are under way already",
                 *       "status": 503,
                 *       "title": "Overloaded",
                 *       "type": "overloaded"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "overloaded" | "unavailable" | "unknown";
                };
            };
        };
        /** @description `precondition-failed`: Precondition failed. */
        "precondition-failed": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "if-match: it is \"3f9a0c1d22b4e7a1\" now",
                 *       "status": 412,
                 *       "title": "Precondition failed",
                 *       "type": "precondition-failed"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "precondition-failed";
                };
            };
        };
        /** @description `too-large`: Too large. */
        "too-large": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "the body is larger than 16777216 bytes",
                 *       "status": 413,
                 *       "title": "Too large",
                 *       "type": "too-large"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "too-large";
                };
            };
        };
        /** @description `too-many-requests`: Too many requests. */
        "too-many-requests": {
            headers: {
                /** @description The seconds after which to retry. */
                "retry-after"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "key \"stream-ingest\" sends too many requests; retry after 1 s",
                 *       "status": 429,
                 *       "title": "Too many requests",
                 *       "type": "too-many-requests"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "too-many-requests";
                };
            };
        };
        /** @description `too-slow`: Body too slow. */
        "too-slow": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "the body sent nothing for 30 s",
                 *       "status": 408,
                 *       "title": "Body too slow",
                 *       "type": "too-slow"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "too-slow";
                };
            };
        };
        /** @description `unauthorized`: No valid key. */
        unauthorized: {
            headers: {
                /** @description `Bearer`. */
                "www-authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "authorization: the key is unknown",
                 *       "status": 401,
                 *       "title": "No valid key",
                 *       "type": "unauthorized"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unauthorized";
                };
            };
        };
        /**
         * @description `unavailable`: Store unavailable.
         *
         *     `unknown`: Outcome unknown.
         */
        "unavailable.unknown": {
            headers: {
                /** @description The seconds after which to retry. */
                "retry-after"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "10.0.0.2:6379: Connection refused",
                 *       "status": 503,
                 *       "title": "Store unavailable",
                 *       "type": "unavailable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unavailable" | "unknown";
                };
            };
        };
        /** @description `unknown-host`: Unknown host. */
        "unknown-host": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "host: \"boards.example\" is not a name of this server: add it to server.hosts, or create keys",
                 *       "status": 421,
                 *       "title": "Unknown host",
                 *       "type": "unknown-host"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-host";
                };
            };
        };
        /** @description `unknown-kind`: Unknown kind. */
        "unknown-kind": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind";
                };
            };
        };
        /**
         * @description `unknown-kind`: Unknown kind.
         *
         *     `no-profile`: No profile.
         *
         *     `unknown-path`: Unknown path.
         */
        "unknown-kind.no-profile.unknown-path": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind" | "no-profile" | "unknown-path";
                };
            };
        };
        /**
         * @description `unknown-kind`: Unknown kind.
         *
         *     `unknown-board`: Unknown board.
         *
         *     `unknown-path`: Unknown path.
         */
        "unknown-kind.unknown-board.unknown-path": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind" | "unknown-board" | "unknown-path";
                };
            };
        };
        /**
         * @description `unknown-kind`: Unknown kind.
         *
         *     `unknown-path`: Unknown path.
         */
        "unknown-kind.unknown-path": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind" | "unknown-path";
                };
            };
        };
        /**
         * @description `unknown-kind`: Unknown kind.
         *
         *     `unknown-window`: Unknown window.
         */
        "unknown-kind.unknown-window": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind" | "unknown-window";
                };
            };
        };
        /**
         * @description `unknown-kind`: Unknown kind.
         *
         *     `unknown-window`: Unknown window.
         *
         *     `not-ranked`: Member not ranked.
         *
         *     `not-listed`: Member not on the list.
         *
         *     `unknown-path`: Unknown path.
         */
        "unknown-kind.unknown-window.not-ranked.not-listed.unknown-path": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind" | "unknown-window" | "not-ranked" | "not-listed" | "unknown-path";
                };
            };
        };
        /**
         * @description `unknown-kind`: Unknown kind.
         *
         *     `unknown-window`: Unknown window.
         *
         *     `not-ranked`: Member not ranked.
         *
         *     `unknown-path`: Unknown path.
         */
        "unknown-kind.unknown-window.not-ranked.unknown-path": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind" | "unknown-window" | "not-ranked" | "unknown-path";
                };
            };
        };
        /**
         * @description `unknown-kind`: Unknown kind.
         *
         *     `unknown-window`: Unknown window.
         *
         *     `unknown-path`: Unknown path.
         */
        "unknown-kind.unknown-window.unknown-path": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "kind \"gift\" is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{kind} creates one",
                 *       "status": 404,
                 *       "title": "Unknown kind",
                 *       "type": "unknown-kind"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-kind" | "unknown-window" | "unknown-path";
                };
            };
        };
        /** @description `unknown-path`: Unknown path. */
        "unknown-path": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "path \"/v2\" is not known",
                 *       "status": 404,
                 *       "title": "Unknown path",
                 *       "type": "unknown-path"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unknown-path";
                };
            };
        };
        /** @description `unsupported-media-type`: Unsupported media type. */
        "unsupported-media-type": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "content-type: \"text/plain\" is not application/json",
                 *       "status": 415,
                 *       "title": "Unsupported media type",
                 *       "type": "unsupported-media-type"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "unsupported-media-type";
                };
            };
        };
        /** @description `window-gone`: Window no longer kept. */
        "window-gone": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "window: day:2026-01-01 is past its retention",
                 *       "status": 410,
                 *       "title": "Window no longer kept",
                 *       "type": "window-gone"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "window-gone";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    contribute: {
        parameters: {
            query?: {
                /**
                 * @description Returns the standings after each contribution (`standings`), or also the ranks (`ranks`); for at most 1,000
                 *     contributions.
                 */
                return?: "standings" | "ranks";
                /** @description With `return=ranks`: also returns the rank of each member right before the request. */
                previous_rank?: boolean;
            };
            header?: {
                /**
                 * @description `wait=N`: while the store is unavailable, the write is tried for `N` seconds, at most 15, before the response is
                 *     `unavailable` or `unknown`; without it, for about a second. Other preferences are ignored (RFC 7240).
                 * @example wait=15
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description One contribution, an array, or one per line. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Contributions"];
                /**
                 * @example {"board":"gifts/room-8842","member":"u1","points":3}
                 *     {"board":"gifts/room-8842","member":"u2","points":5}
                 */
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description The receipt: how many were applied, rejected and so on, counted by contribution and board. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "applied": 997,
                     *       "duplicates": 1,
                     *       "failed": [],
                     *       "failed_count": 0,
                     *       "rejected": [
                     *         {
                     *           "board": "gifts/room-8842",
                     *           "detail": "at: 2026-11-20T15:52:22.123456Z is more than 5 minutes ahead of the server's clock, 2026-11-20T14:52:22.123456Z",
                     *           "index": 7,
                     *           "type": "from-the-future"
                     *         }
                     *       ],
                     *       "rejected_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window"];
            408: components["responses"]["too-slow"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            422: components["responses"]["out-of-range.window-closed.not-open.from-the-future.nothing-applied"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    top: {
        parameters: {
            query?: {
                /**
                 * @description The number of entries, at most the kind's `top`. Defaults to 100.
                 * @example 10
                 */
                n?: number;
                /** @description Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top. */
                profiles?: boolean;
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The best entries of the board. */
            200: {
                headers: {
                    /** @description `max-age` if the response is final, else `no-cache`. */
                    "cache-control"?: string;
                    /** @description Identifies board, window, version and n; weak. */
                    etag?: string;
                    /** @description `accept-encoding`: the body may be in gzip. */
                    vary?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "entries": [
                     *         {
                     *           "member": "u1",
                     *           "points": 999,
                     *           "rank": 1,
                     *           "reached_at": "2026-11-20T14:52:22.123456Z"
                     *         },
                     *         {
                     *           "member": "u2",
                     *           "points": 500,
                     *           "rank": 2,
                     *           "reached_at": "2026-11-20T14:50:00.000000Z"
                     *         }
                     *       ],
                     *       "members": 2,
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["Top"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    tops: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "boards": [
                 *         "gifts/room-8842",
                 *         "gifts/room-1"
                 *       ],
                 *       "n": 3,
                 *       "window": "hour"
                 *     }
                 */
                "application/json": components["schemas"]["TopsWanted"];
            };
        };
        responses: {
            /** @description The tops, in the order of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tops"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window"];
            408: components["responses"]["too-slow"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    range: {
        parameters: {
            query?: {
                /**
                 * @description The first position. Requires `to`.
                 * @example 300
                 */
                from?: number;
                /**
                 * @description The last position, at most 999 after the first.
                 * @example 400
                 */
                to?: number;
                /** @description The maximum number of entries between `min` and `max`, or after `after`. Defaults to 100. */
                limit?: number;
                /** @description `next` of the page before: the entries that follow its last one, whatever has changed before it. */
                after?: string;
                /** @description The end from which positions are counted and entries are returned. */
                order?: "best" | "worst";
                /** @description The smallest value of the first field. */
                min?: number;
                /** @description The largest value of the first field. */
                max?: number;
                /** @description Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top. */
                profiles?: boolean;
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries, best first; worst first with `order=worst`. */
            200: {
                headers: {
                    /** @description `max-age` if the response is final, else `no-cache`. */
                    "cache-control"?: string;
                    /** @description Identifies board, window and version; weak. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "entries": [
                     *         {
                     *           "member": "u1",
                     *           "points": 999,
                     *           "rank": 1,
                     *           "reached_at": "2026-11-20T14:52:22.123456Z"
                     *         }
                     *       ],
                     *       "members": 2,
                     *       "next": "Atn0mFyAAAAAAAAD53j___5lOg2qdTE",
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["EntryPageResponse"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    count: {
        parameters: {
            query?: {
                /** @description The smallest value of the first field. */
                min?: number;
                /** @description The largest value of the first field. */
                max?: number;
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of members. */
            200: {
                headers: {
                    /** @description `max-age` if the response is final, else `no-cache`. */
                    "cache-control"?: string;
                    /** @description Identifies board, window and version; weak. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "count": 1,
                     *       "members": 2,
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["CountResponse"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    member: {
        parameters: {
            query?: {
                /**
                 * @description A position. The response has the change that the member needs to reach it.
                 * @example 100
                 */
                target?: number;
                /** @description Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top. */
                profiles?: boolean;
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member with its position. */
            200: {
                headers: {
                    /** @description `max-age` if the response is final, else `no-cache`. */
                    "cache-control"?: string;
                    /** @description Identifies board, window and version; weak. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "above": {
                     *         "gap": 499,
                     *         "member": "u1",
                     *         "points": 999,
                     *         "rank": 1,
                     *         "reached_at": "2026-11-20T14:52:22.123456Z"
                     *       },
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "below": null,
                     *       "board": "gifts/room-8842",
                     *       "member": "u2",
                     *       "members": 2,
                     *       "percentile": 0,
                     *       "points": 500,
                     *       "position": 2,
                     *       "rank": 2,
                     *       "reached_at": "2026-11-20T14:50:00.000000Z",
                     *       "to_target": 500,
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["MemberPositionResponse"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.not-ranked.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    set_member: {
        parameters: {
            query?: {
                /**
                 * @description The only window to set, which has to contain `at`. Defaults to all windows that contain it.
                 * @example day
                 */
                window?: string;
                /** @description Returns the standings after it (`standings`), or also the ranks (`ranks`). */
                return?: "standings" | "ranks";
                /** @description With `return=ranks`: also returns the rank right before the request. */
                previous_rank?: boolean;
            };
            header?: {
                /**
                 * @description `wait=N`: while the store is unavailable, the write is tried for `N` seconds, at most 15, before the response is
                 *     `unavailable` or `unknown`; without it, for about a second. Other preferences are ignored (RFC 7240).
                 * @example wait=15
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "points": 100
                 *     }
                 */
                "application/json": components["schemas"]["Standing"];
            };
        };
        responses: {
            /** @description The standing has been set, or was set before with this id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "applied": 1,
                     *       "duplicates": 0,
                     *       "failed": [],
                     *       "failed_count": 0,
                     *       "rejected": [],
                     *       "rejected_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            408: components["responses"]["too-slow"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            422: components["responses"]["out-of-range.window-closed.not-open.from-the-future"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    remove_member: {
        parameters: {
            query?: {
                /**
                 * @description The only window that members are removed from, and, of a range, the window that it is of. Defaults to all
                 *     windows.
                 * @example day
                 */
                window?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether it was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "removed": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Removed"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            422: components["responses"]["not-open"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    remove_members: {
        parameters: {
            query?: {
                /** @description The smallest value of the first field. */
                min?: number;
                /** @description The largest value of the first field. */
                max?: number;
                /**
                 * @description The last rank whose members stay. Not with `min` or `max`.
                 * @example 1000
                 */
                below_rank?: number;
                /**
                 * @description The only window that members are removed from, and, of a range, the window that it is of. Defaults to all
                 *     windows.
                 * @example day
                 */
                window?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "more": false,
                     *       "removed": 1200,
                     *       "window": "all"
                     *     }
                     */
                    "application/json": components["schemas"]["Removed"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            422: components["responses"]["not-open"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    around: {
        parameters: {
            query?: {
                /** @description The number of better neighbours. */
                above?: number;
                /** @description The number of worse neighbours. */
                below?: number;
                /**
                 * @description Instead of both: the number of entries, with the member in the middle. Near an end of the board the others are
                 *     from the other side.
                 */
                size?: number;
                /** @description Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top. */
                profiles?: boolean;
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member and its neighbours, best first. */
            200: {
                headers: {
                    /** @description `max-age` if the response is final, else `no-cache`. */
                    "cache-control"?: string;
                    /** @description Identifies board, window and version; weak. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "entries": [
                     *         {
                     *           "member": "u1",
                     *           "points": 999,
                     *           "rank": 1,
                     *           "reached_at": "2026-11-20T14:52:22.123456Z"
                     *         },
                     *         {
                     *           "member": "u2",
                     *           "points": 500,
                     *           "rank": 2,
                     *           "reached_at": "2026-11-20T14:50:00.000000Z"
                     *         }
                     *       ],
                     *       "members": 3,
                     *       "next": "Atn0mFyAAAAAAAAD53j___5lOg2qdTE",
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["EntryPageResponse"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.not-ranked.not-listed.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    lookup: {
        parameters: {
            query?: {
                /** @description Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top. */
                profiles?: boolean;
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "members": [
                 *         "u1",
                 *         "nobody"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Lookup"];
            };
        };
        responses: {
            /** @description The entries, in the order of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "entries": [
                     *         {
                     *           "member": "u1",
                     *           "points": 999,
                     *           "rank": 1,
                     *           "reached_at": "2026-11-20T14:52:22.123456Z"
                     *         },
                     *         {
                     *           "member": "nobody",
                     *           "rank": null
                     *         }
                     *       ],
                     *       "members": 2,
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["FoundListResponse"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            408: components["responses"]["too-slow"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    rank_of_points: {
        parameters: {
            query: {
                /**
                 * @description The points. Only for kinds with one field.
                 * @example 10000
                 */
                points: number;
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member with its position. */
            200: {
                headers: {
                    /** @description Identifies board, window and version; weak. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "members": 2,
                     *       "position": 1,
                     *       "rank": 1,
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["RankResponse"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            422: components["responses"]["out-of-range"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    rank_of_values: {
        parameters: {
            query?: {
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "values": {
                 *         "points": 10000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Score"];
            };
        };
        responses: {
            /** @description The member with its position. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "members": 2,
                     *       "position": 1,
                     *       "rank": 1,
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20"
                     *     }
                     */
                    "application/json": components["schemas"]["RankResponse"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            408: components["responses"]["too-slow"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            422: components["responses"]["out-of-range"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    stream: {
        parameters: {
            query?: {
                /**
                 * @description The number of entries, at most the kind's `top`. Defaults to 100.
                 * @example 10
                 */
                n?: number;
                /**
                 * @description The window, as for reads. A period such as `day`, and `previous`, change to the next window with the
                 *     calendar, a named window does not.
                 * @example day
                 */
                window?: string;
                /** @description Sends only changes after the first event. */
                changes?: boolean;
                /** @description Adds the profile of each member that has one to its entry. */
                profiles?: boolean;
                /**
                 * @description Also sends the position of this member.
                 * @example u1
                 */
                member?: string;
                /** @description A token of `POST /v1/stream-tokens`, for clients that cannot send a header. */
                token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An endless stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 1374
                     *
                     *     id: 7b1c2f0a9d3e4c55.12
                     *     event: board
                     *     data: {"board":"gifts/room-8842",…}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    stream_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "board": "gifts/room-8842",
                 *       "ttl": "10m"
                 *     }
                 */
                "application/json": components["schemas"]["StreamTokenWanted"];
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "expires_at": "2026-11-20T15:02:22.123456Z",
                     *       "token": "mbs_AAABm…"
                     *     }
                     */
                    "application/json": components["schemas"]["StreamToken"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind"];
            408: components["responses"]["too-slow"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    boards: {
        parameters: {
            query: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The beginning of the subjects that are listed.
                 * @example room-
                 */
                prefix?: string;
                /** @description `subject`, or the boards to which this server has recently written the most contributions, the busiest first. */
                order?: "subject" | "activity";
                /** @description The subject after which the page begins: `next` of the previous page. Not with `order=activity`. */
                after?: string;
                /** @description The maximum number of boards. */
                limit?: number;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of boards; with `order=activity` the busiest ones. */
            200: {
                headers: {
                    /** @description Identifies the list. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "boards": [
                     *         {
                     *           "board": "gifts/room-8842",
                     *           "shards": 16,
                     *           "subject": "room-8842"
                     *         }
                     *       ],
                     *       "kind": "gifts",
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["Boards"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    board: {
        parameters: {
            query?: {
                /**
                 * @description The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
                 *     name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
                 *     is the one before that.
                 * @example day
                 */
                window?: string;
                /** @description Merges the board after the request has arrived, instead of using the cache. */
                fresh?: boolean;
            };
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The board, its settings and its windows. */
            200: {
                headers: {
                    /** @description Identifies board, window and version; weak. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T14:52:23.004456Z",
                     *       "board": "gifts/room-8842",
                     *       "members": 2,
                     *       "shards": 16,
                     *       "store": "embedded",
                     *       "version": "7b1c2f0a9d3e4c55.12",
                     *       "window": "day:2026-11-20",
                     *       "windows": [
                     *         {
                     *           "members": 2,
                     *           "window": "day:2026-11-20"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BoardResponse"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    settle_board: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ends_at": "2026-11-20T20:15:00Z",
                 *       "expires_after": "7d",
                 *       "shards": 64,
                 *       "starts_at": "2026-11-20T20:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["BoardSettings"];
            };
        };
        responses: {
            /** @description The settings of the board. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            408: components["responses"]["too-slow"];
            409: components["responses"]["conflict.board-exists"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    delete_board: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example room-8842
                 */
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-board.unknown-path"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    member_boards: {
        parameters: {
            query: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The only window to look at (any selector). Defaults to the current ones of all periods of the kind.
                 * @example day
                 */
                window?: string;
                /** @description The subject after which to continue: `next` of the previous response. */
                after?: string;
                /** @description The maximum number of boards. */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of boards, with the member's standing and rank in each window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "boards": [
                     *         {
                     *           "board": "gifts/room-8842",
                     *           "windows": [
                     *             {
                     *               "points": 999,
                     *               "position": 1,
                     *               "rank": 1,
                     *               "reached_at": "2026-11-20T14:52:22.123456Z",
                     *               "window": "day:2026-11-20"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "kind": "gifts",
                     *       "looked_at": 1200,
                     *       "member": "u1",
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemberBoards"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-window.unknown-path"];
            410: components["responses"]["window-gone"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    erase: {
        parameters: {
            query?: {
                /**
                 * @description The kind's name. Defaults to all kinds of the key.
                 * @example gifts
                 */
                kind?: string;
                /**
                 * @description The board after which to continue, or `kind/` for the first board of a kind: `next` of the previous
                 *     response.
                 */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "boards": 1200,
                     *       "erased": 3,
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["Erased"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            409: components["responses"]["conflict"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    hidden_in: {
        parameters: {
            query?: {
                /**
                 * @description The kind's name. Defaults to all kinds of the key.
                 * @example gifts
                 */
                kind?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kinds in which it is hidden. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hidden_in": [
                     *         "gifts",
                     *         "races"
                     *       ],
                     *       "member": "u1"
                     *     }
                     */
                    "application/json": components["schemas"]["HiddenIn"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    hide: {
        parameters: {
            query?: {
                /**
                 * @description The kind's name. Defaults to all kinds of the key.
                 * @example gifts
                 */
                kind?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kinds in which it is hidden now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hidden_in": [
                     *         "gifts",
                     *         "races"
                     *       ],
                     *       "member": "u1"
                     *     }
                     */
                    "application/json": components["schemas"]["HiddenIn"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            409: components["responses"]["conflict"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    show: {
        parameters: {
            query?: {
                /**
                 * @description The kind's name. Defaults to all kinds of the key.
                 * @example gifts
                 */
                kind?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kinds in which it is still hidden. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hidden_in": [],
                     *       "member": "u1"
                     *     }
                     */
                    "application/json": components["schemas"]["HiddenIn"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            409: components["responses"]["conflict"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    hidden: {
        parameters: {
            query: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hidden": [
                     *         "u1"
                     *       ],
                     *       "kind": "gifts"
                     *     }
                     */
                    "application/json": components["schemas"]["Hidden"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    profile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    /** @description `no-cache`. */
                    "cache-control"?: string;
                    /** @description A digest of the body. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "avatar": "https://img.example/ann.png",
                     *       "data": {
                     *         "team": 7
                     *       },
                     *       "name": "Ann"
                     *     }
                     */
                    "application/json": components["schemas"]["ShownProfile"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.no-profile.unknown-path"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    put_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "avatar": "https://img.example/ann.png",
                 *       "data": {
                 *         "team": 7
                 *       },
                 *       "name": "Ann"
                 *     }
                 */
                "application/json": components["schemas"]["Profile"];
            };
        };
        responses: {
            /** @description The profile, as it is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "avatar": "https://img.example/ann.png",
                     *       "data": {
                     *         "team": 7
                     *       },
                     *       "name": "Ann"
                     *     }
                     */
                    "application/json": components["schemas"]["ShownProfile"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            408: components["responses"]["too-slow"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    delete_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
                /**
                 * @description The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
                 * @example u1
                 */
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is none any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    put_profiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
            };
            cookie?: never;
        };
        /** @description One member per line, as `ProfileLine`. */
        requestBody: {
            content: {
                /**
                 * @example {"member":"u1","profile":{"name":"Ann"}}
                 *     {"member":"u2","profile":null}
                 */
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": 1,
                     *       "put": 1,
                     *       "rejected": [
                     *         {
                     *           "detail": "name: is empty: leave it out",
                     *           "index": 2,
                     *           "type": "invalid"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProfilesReceipt"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            408: components["responses"]["too-slow"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    kinds: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kinds, with all their settings. */
            200: {
                headers: {
                    /** @description Identifies the list. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kinds"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    kind: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kind, with all its settings. */
            200: {
                headers: {
                    /** @description Identifies the settings. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kind"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    put_kind: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the response that the change is based on. The response is 412 if it is no longer current. */
                "If-Match"?: string;
                /**
                 * @description `*`: the response is 412 if it exists.
                 * @example *
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Kind"];
            };
        };
        responses: {
            /** @description The kind has been changed, or had these settings before. */
            200: {
                headers: {
                    /** @description Identifies the settings. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kind"];
                };
            };
            /** @description The kind has been created. */
            201: {
                headers: {
                    /** @description Identifies the settings. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kind"];
                };
            };
            400: components["responses"]["invalid.malformed"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-path"];
            408: components["responses"]["too-slow"];
            409: components["responses"]["conflict.kind-has-boards"];
            412: components["responses"]["precondition-failed"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    delete_kind: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the response that the change is based on. The response is 412 if it is no longer current. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The kind's name.
                 * @example gifts
                 */
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["unknown-kind.unknown-path"];
            409: components["responses"]["conflict.kind-has-boards"];
            412: components["responses"]["precondition-failed"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    audit: {
        parameters: {
            query?: {
                /** @description Reads the log of callers that are not admins, `audit.log.writers`. */
                writers?: boolean;
                /** @description The text `next` of the response that this one continues. */
                before?: string;
                /** @description The maximum number of lines. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of lines. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["no-audit-log"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All keys of this server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keys"];
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    alive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process responds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            400: components["responses"]["invalid"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The store is loaded and reachable, and the server is not stopping. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            400: components["responses"]["invalid"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            503: components["responses"]["unavailable.unknown"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                };
            };
            400: components["responses"]["invalid"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded.unavailable.unknown"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, in OpenAPI 3.1. */
            200: {
                headers: {
                    /** @description Identifies the document. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a response that the client has cached. The response is 304 if it is still current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    /** @description Identifies the page. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    /** @description The same `ETag`. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid"];
            413: components["responses"]["too-large"];
            415: components["responses"]["unsupported-media-type"];
            421: components["responses"]["unknown-host"];
            429: components["responses"]["too-many-requests"];
            503: components["responses"]["overloaded"];
        };
    };
}

export type Alive = components["schemas"]["Alive"];
/**
 * One line of the audit log. An operation has two of them, `begun` and `ended`, with the same `operation`.
 */
export type AuditLine = components["schemas"]["AuditLine"];
/**
 * Lines of the audit log, the newest first.
 */
export type AuditPage = components["schemas"]["AuditPage"];
export type BoardResponse = components["schemas"]["BoardResponse"];
/**
 * The settings of one board, at least one of them. A missing setting is reset to that of the kind; a missing number of
 * shards of a board with contributions stays as it is.
 */
export type BoardSettings = components["schemas"]["BoardSettings"];
/**
 * Boards of a kind.
 */
export type Boards = components["schemas"]["Boards"];
/**
 * What moved in a top, as event `changes` of a stream shows it. Take out whom any list names, then put
 * the entries at their positions.
 */
export type Changes = components["schemas"]["Changes"];
/**
 * A contribution of a member to one or several boards.
 */
export type Contribution = components["schemas"]["Contribution"];
/**
 * One contribution, or an array of them: at most 100,000.
 */
export type Contributions = components["schemas"]["Contributions"];
export type CountResponse = components["schemas"]["CountResponse"];
/**
 * A season begins at each of these times.
 */
export type Cron = components["schemas"]["Cron"];
/**
 * A member with its standing: `points`, or `values` of kinds with other fields.
 */
export type Entry = components["schemas"]["Entry"];
export type EntryPageResponse = components["schemas"]["EntryPageResponse"];
/**
 * The part that all responses about a board have in common.
 */
export type Envelope = components["schemas"]["Envelope"];
/**
 * How far a member is erased.
 */
export type Erased = components["schemas"]["Erased"];
/**
 * How long a board is kept, if that is limited.
 */
export type Expiry = components["schemas"]["Expiry"];
/**
 * A field: an exact integer that members are ordered by.
 */
export type Field = components["schemas"]["Field"];
/**
 * Integers by the names of fields. A null field is omitted.
 */
export type FieldValues = components["schemas"]["FieldValues"];
/**
 * The result of a lookup: an entry, or `rank` null if the member is not ranked.
 */
export type Found = components["schemas"]["Found"];
export type FoundListResponse = components["schemas"]["FoundListResponse"];
/**
 * Whom a kind hides.
 */
export type Hidden = components["schemas"]["Hidden"];
/**
 * In which kinds a member is hidden.
 */
export type HiddenIn = components["schemas"]["HiddenIn"];
/**
 * Kept until nothing was written to the board for this time.
 */
export type Idle = components["schemas"]["Idle"];
/**
 * An integer within ±(2^53 − 1).
 */
export type Integer = components["schemas"]["Integer"];
/**
 * An item that was not applied.
 */
export type Item = components["schemas"]["Item"];
/**
 * `"48h"`, `"forever"`, or `{ idle = "7d" }`.
 */
export type Keep = components["schemas"]["Keep"];
/**
 * A configured key.
 */
export type Key = components["schemas"]["Key"];
/**
 * All configured keys.
 */
export type Keys = components["schemas"]["Keys"];
/**
 * A kind's settings, with their defaults. The same in JSON and in TOML.
 */
export type Kind = components["schemas"]["Kind"];
export type Kinds = components["schemas"]["Kinds"];
/**
 * A board of a list.
 */
export type Listed = components["schemas"]["Listed"];
/**
 * Members to look up.
 */
export type Lookup = components["schemas"]["Lookup"];
/**
 * A board that ranks the member.
 */
export type MemberBoard = components["schemas"]["MemberBoard"];
/**
 * The boards of a kind that rank a member.
 */
export type MemberBoards = components["schemas"]["MemberBoards"];
/**
 * A member with its position. All but the standing is null if the member is not among the best that its kind ranks.
 */
export type MemberPosition = components["schemas"]["MemberPosition"];
export type MemberPositionResponse = components["schemas"]["MemberPositionResponse"];
/**
 * How contributions fold into a standing.
 */
export type Mode = components["schemas"]["Mode"];
/**
 * RFC 3339, of which six fractional digits are kept, or integer epoch milliseconds or microseconds.
 */
export type Moment = components["schemas"]["Moment"];
/**
 * An entry at its position.
 */
export type Moved = components["schemas"]["Moved"];
/**
 * A neighbour of a member.
 */
export type Neighbour = components["schemas"]["Neighbour"];
export type NoPositionResponse = components["schemas"]["NoPositionResponse"];
/**
 * How contributions change a field.
 */
export type Op = components["schemas"]["Op"];
/**
 * Whether greater (`desc`) or smaller (`asc`) values are better.
 */
export type Order = components["schemas"]["Order"];
export type OwnPositionResponse = components["schemas"]["OwnPositionResponse"];
/**
 * The range of the values of a packed kind, and the unit of its times.
 *
 * `{ most = 1000000, unit = "1s", from = "2026-01-01T00:00:00Z", until = "2036-01-01T00:00:00Z" }`.
 */
export type Packed = components["schemas"]["Packed"];
/**
 * A contribution that did not count in all windows of its kind.
 */
export type Partial = components["schemas"]["Partial"];
/**
 * What went wrong (RFC 9457). A few problems have further members, such as the receipt so far.
 */
export type Problem = components["schemas"]["Problem"];
/**
 * What went wrong, as a stable word.
 */
export type ProblemType = components["schemas"]["ProblemType"];
/**
 * A member's profile. At least one of its parts is required; one that is null counts as left out.
 */
export type Profile = components["schemas"]["Profile"];
/**
 * A member and its profile, one line of many.
 */
export type ProfileLine = components["schemas"]["ProfileLine"];
/**
 * What was done with the lines of a request.
 */
export type ProfilesReceipt = components["schemas"]["ProfilesReceipt"];
/**
 * Publishes the top of a kind's boards to another server.
 */
export type Publish = components["schemas"]["Publish"];
export type RankResponse = components["schemas"]["RankResponse"];
/**
 * Whether members with equal fields share a rank: not with `ordinal`, but with `competition` (1 2 2 4) and `dense` (1 2 2 3).
 */
export type RankStyle = components["schemas"]["RankStyle"];
export type Ready = components["schemas"]["Ready"];
/**
 * Counts of outcomes, by contribution and board, and the items that were not applied.
 */
export type Receipt = components["schemas"]["Receipt"];
/**
 * A line that is wrong.
 */
export type RejectedProfile = components["schemas"]["RejectedProfile"];
/**
 * What a removal did.
 */
export type Removed = components["schemas"]["Removed"];
/**
 * Ranks only the best members of a board.
 *
 * `{ keep = 1000, trim_at = 1200, approximate = true }`.
 */
export type Retain = components["schemas"]["Retain"];
/**
 * A standing: `points`, or `values`.
 */
export type Score = components["schemas"]["Score"];
/**
 * A season. It lasts until the next one begins.
 */
export type Season = components["schemas"]["Season"];
/**
 * `{ cron = "0 5 1 1,4,7,10 *" }`, or `[{ name = "spring-2026", starts_at = "2026-03-01" }]`.
 */
export type Seasons = components["schemas"]["Seasons"];
/**
 * What holds of a board from now on.
 */
export type Settled = components["schemas"]["Settled"];
/**
 * A member's profile.
 */
export type ShownProfile = components["schemas"]["ShownProfile"];
/**
 * The time in which a board accepts contributions, if it is limited.
 */
export type Span = components["schemas"]["Span"];
/**
 * A standing that replaces the current one.
 */
export type Standing = components["schemas"]["Standing"];
export type StreamToken = components["schemas"]["StreamToken"];
/**
 * What a token is wanted for.
 */
export type StreamTokenWanted = components["schemas"]["StreamTokenWanted"];
/**
 * Which of two members with equal fields is better.
 */
export type Ties = components["schemas"]["Ties"];
/**
 * The best entries of a board.
 */
export type Top = components["schemas"]["Top"];
/**
 * The tops of several boards, in the order of the request.
 */
export type Tops = components["schemas"]["Tops"];
/**
 * Boards whose tops are wanted.
 */
export type TopsWanted = components["schemas"]["TopsWanted"];
/**
 * A day of the week.
 */
export type Weekday = components["schemas"]["Weekday"];
/**
 * A window of a board.
 */
export type Window = components["schemas"]["Window"];
/**
 * One contribution on one board: its member's standing in each window after it.
 */
export type Written = components["schemas"]["Written"];
/**
 * A member's standing in one window after a contribution.
 */
export type WrittenStanding = components["schemas"]["WrittenStanding"];

/** The events of a stream by their names: what `JSON.parse(event.data)` gives. */
export interface StreamEvents {
    /** The top, whole: at once, and whenever it has changed. */
    board: Top;
    /** With `changes=true`, behind the first `board`: what moved. */
    changes: Changes;
    /** With `member`: that member's own place. One who is not ranked has no `position` in it. */
    member: OwnPositionResponse | NoPositionResponse;
    /** Why the stream ends here. */
    problem: Problem;
}
