// Applies the stored colour scheme before anything is drawn. Loaded as a plain script
// in the head, so that a dark page does not begin with a white flash.
(() => {
    try {
        const chosen = localStorage.getItem("megaboard-theme");
        if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
    } catch {
        // Without storage the system's scheme applies.
    }
})();
