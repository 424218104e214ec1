// Starts the viewers of the API's definitions on this page. Everything they need is served with the page.
const dark = matchMedia("(prefers-color-scheme: dark)")
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
follow()
dark.addEventListener("change", follow)

for (const element of document.querySelectorAll(".viewer")) {
  SwaggerUIBundle({
    url: element.dataset.definition,
    domNode: element,
    deepLinking: true,
    docExpansion: element.dataset.definition.includes("public") ? "list" : "none",
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null
  })
}
