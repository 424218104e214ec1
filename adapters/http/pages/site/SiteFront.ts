/**
 * Renders the page at the base URL, for people who open it in a browser. It says what the service is, and links to its
 * documentation.
 *
 * @module
 */
import { productName } from "../../../../core/kernel/Names.ts"
import { html } from "../hosted/html.ts"
import { contractPaths } from "../../schema/ContractApi.ts"
import { bareLayout } from "./SiteLayout.ts"
import { pageHref } from "./SiteLinks.ts"

const summary =
  "A self-hosted email platform: contacts with provable consent, events and the flows that they start, transactional " +
  "email by API and SMTP, signed webhooks, a catalogue, and the orders of connected stores."

const entries = [
  {
    name: "quick-start",
    title: "Quick start",
    about: "From nothing to a delivered email in five minutes, in the sandbox."
  },
  { name: "index", title: "Documentation", about: "Every page, with search." },
  { name: "reference", title: "API reference", about: "Every route with its fields, and calls to try." },
  { name: "self-hosting", title: "Self-hosting", about: "For those who operate this installation." }
]

/** Whether a client explicitly accepts HTML, as browsers do when a person opens a URL. */
export const wantsHtml = (accept: string | null): boolean =>
  (accept ?? "").split(",").some((part) => {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    return type === "text/html" && !parameters.some((text) => /^q=0(\.0*)?$/.test(text))
  })

/** The page. */
export const frontPage: string = bareLayout({
  title: productName,
  summary,
  content: html`<h1>${productName}</h1>
    <p>${summary}</p>
    <ul class="cards">
      ${entries.map(
        ({ about, name, title }) =>
          html`<li>
            <a href="${pageHref(name, "root")}">${title}</a>
            <span>${about}</span>
          </li>`
      )}
    </ul>
    <p class="soft">
      This is the address of an installation's API. Programs call it with a key; the
      <a href="${contractPaths.openApi.slice(1)}">OpenAPI document</a> describes every route. If an email
      brought you here, its sender runs this installation.
    </p>`
})
