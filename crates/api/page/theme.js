// The colour scheme that was chosen here before, set before anything is drawn. Loaded as a plain script
// in the head, so that a page in the dark never begins with a white flash.
(() => {
    try {
        const chosen = localStorage.getItem("megaboard-theme");
        if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
    } catch {
        // Without storage the system's scheme holds.
    }
})();
