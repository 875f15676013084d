/** What can still happen to a board. Pure. */

/**
 * Returns what can happen to a board at a moment: `live`; `soon` before its start; `past` in a window that is over, where
 * late contributions may still count; `ended` after the board's own end; `final`. `isPast` is whether its window is over,
 * or null while that is unknown; so is the result.
 */
export function phaseOf({ final, starts_at: starts, ends_at: ends }, now, isPast) {
    if (final) return "final";
    if (ends !== undefined && Date.parse(ends) <= now) return "ended";
    if (isPast !== false) return isPast ? "past" : null;
    return starts !== undefined && Date.parse(starts) > now ? "soon" : "live";
}

/** Whether nothing but late contributions can change a board any more. */
export function isOver(phase) {
    return ["past", "ended", "final"].includes(phase);
}
