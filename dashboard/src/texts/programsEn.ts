/**
 * The texts of the request log and of what programs do with keys, webhooks and events in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const programsEn = {
  requests: {
    search: "Whole id of a request",
    call: "Call",
    unknownRoute: "No such route",
    method: "Method",
    status: "Status",
    code: "Code",
    key: "Key",
    duration: "Duration",
    time: "Time",
    id: "Request id",
    warnings: "Warnings",
    request: "Request",
    response: "Answer",
    noBody: "none",
    noBodies: "Bodies are kept in a sandbox alone.",
    empty: "Calls of your programs appear here",
    emptyText:
      "Each call of the API with a key of this account is kept for 7 days, unless the account keeps it shorter or longer.",
    guide: "Call the API"
  },
  keyUse: {
    title: "Used it in the last day",
    nothing: "Nothing has used it in the last day.",
    calls: (shown: string, count: number) => `${shown} ${plural(count, "call", "calls")}`,
    partly: (shown: string) => `of the last ${shown} calls`
  },
  webhookRate: {
    title: "Delivered in 7 days",
    of: (delivered: string, all: string) => `${delivered} of ${all}`,
    none: "No notification yet"
  },
  sendEvent: {
    open: "Report an event",
    text: "As a program would with POST /events. Flows that begin with it start.",
    name: "Event",
    nameHint: "Such as user.signed_up.",
    person: "Address of the person",
    personHint: "Added as a contact where nobody has it.",
    properties: "Properties",
    propertiesHint: 'JSON, such as {"plan": "pro"}.',
    noJson: "This is not a JSON object.",
    submit: "Report",
    done: (name: string) => `${name} was reported`,
    rejected: (codes: string) => `The event was rejected: ${codes}.`
  }
}
