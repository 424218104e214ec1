/**
 * Lists the pages of the documentation site in reading order. A page is a file of `docs/`, named without `.md`.
 *
 * @module
 */

/** A section of pages. */
export interface Section {
  readonly title: string
  readonly pages: ReadonlyArray<string>
}

/** The page at `/docs` itself. */
export const indexPage = "index"

/** The page that shows the API's definition in a viewer. */
export const referencePage = "reference"

/** All pages except the first, in reading order. */
export const sections: ReadonlyArray<Section> = [
  {
    title: "Begin",
    pages: ["quick-start", "dashboard", "concepts", "using-the-api", "idempotency", "glossary"]
  },
  {
    title: "Audience",
    pages: ["contacts", "consent", "contact-fields", "topics", "segments", "imports", "hosted-pages"]
  },
  { title: "Automation", pages: ["events", "flows", "campaigns"] },
  {
    title: "Email",
    pages: [
      "sending-email",
      "email-status",
      "templates",
      "tracking",
      "sending-domains",
      "relays",
      "smtp",
      "webhooks"
    ]
  },
  { title: "Commerce", pages: ["catalogue", "stores", "orders"] },
  { title: "Reference", pages: [referencePage, "management-api", "users", "errors", "limits", "versioning"] },
  {
    title: "Operation",
    pages: [
      "self-hosting",
      "configuration",
      "delivery",
      "security",
      "operations",
      "runbook",
      "scale",
      "command-line"
    ]
  },
  { title: "In your code", pages: ["testing", "embedding", "architecture", "developing"] }
]
