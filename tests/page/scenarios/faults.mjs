/** The requests and faults of all pages of all scenarios. */

import { check, same } from "../stage.mjs";
import { AVATAR } from "./names.mjs";

export const scenarios = {
    async "no page made a request to another host"(stage) {
        // The image of a profile is the only exception.
        const others = stage.requests.filter((url) => url !== AVATAR);
        const outside = others.filter((url) => ![stage.url, stage.example].includes(new URL(url).origin));
        same(outside, [], "requests to others");
        check(stage.requests.length > 100, `only ${stage.requests.length} requests were seen`);
    },

    async "no page logged an error, violated its policy or opened a dialog"(stage) {
        same(stage.faults, [], "faults");
    },
};
