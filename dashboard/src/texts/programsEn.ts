/**
 * The texts of the request log, and of the screens of keys, webhooks and events, in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const programsEn = {
  requests: {
    search: "Request ID",
    call: "Call",
    unknownRoute: "No such route",
    method: "Method",
    status: "Status",
    code: "Code",
    key: "Key",
    duration: "Duration",
    time: "Time",
    id: "Request ID",
    warnings: "Warnings",
    request: "Request",
    response: "Response",
    noBody: "none",
    noBodies: "Bodies are logged in the sandbox only.",
    empty: "API requests appear here",
    emptyText:
      "Requests with an API key of this account are logged for 7 days, or as the account's settings say.",
    guide: "Call the API"
  },
  keyUse: {
    title: "Used by, in the last day",
    nothing: "Not used in the last day.",
    calls: (shown: string, count: number) => `${shown} ${plural(count, "call", "calls")}`,
    partly: (shown: string) => `of the last ${shown} calls`
  },
  webhookRate: {
    title: "Delivered in 7 days",
    of: (delivered: string, all: string) => `${delivered} of ${all}`,
    none: "No notification yet"
  },
  sendEvent: {
    open: "Send an event",
    openFor: (name: string) => `Send an event of ${name}`,
    text: "As a program would with POST /events. Flows triggered by it start.",
    name: "Event",
    nameHint: "Such as user.signed_up.",
    person: "Email address",
    personHint: "Added as a contact if it is new.",
    properties: "Properties",
    propertiesHint: 'JSON, such as {"plan": "pro"}.',
    noJson: "This is not a JSON object.",
    submit: "Send",
    done: (name: string) => `${name} was sent`,
    rejected: (codes: string) => `The event was rejected: ${codes}.`
  }
}
