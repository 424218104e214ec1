/**
 * The texts of the dialogs of further filters and of saved views, in English.
 *
 * @module
 */

/** The texts. */
export const listsEn = {
  clear: "Clear",
  apply: "Apply",
  several: "Separate several values with commas. Any of them matches.",
  text: "Entries must match all filters.",
  contact: "Contact ID",
  since: "On or after",
  until: "Before",
  any: "Any",
  views: {
    save: "Save this view",
    saveText: "Saves filters, search, order and columns under a name.",
    change: "Change views",
    changeText: "Your views, and those that colleagues share.",
    edit: "Edit",
    editTitle: (name: string) => `Change ${name}`,
    replace: "Replace with what is shown",
    replaceHint: "Saves the current filters, search, order and columns of the list in this view.",
    name: "Name",
    share: "Share with colleagues",
    shareHint: "Everyone with access to this list can use the view.",
    shared: "Shared",
    own: "Only you see it",
    saved: (name: string) => `${name} was saved`,
    delete: "Delete",
    deleted: (name: string) => `${name} was deleted`
  },
  people: {
    text: "People must match all filters.",
    tag: "Tag",
    country: "Country",
    countryHint: "Two-letter code, such as DE.",
    language: "Language",
    languageHint: "Such as de or en-GB.",
    store: "Store ID",
    since: "Added on or after",
    until: "Added before",
    lastEmailedSince: "Emailed since",
    lastOpenSince: "Opened since",
    lastClickSince: "Clicked since"
  },
  emails: {
    text: "Emails must match all filters.",
    campaign: "Campaign",
    flow: "Flow",
    template: "Template",
    key: "API key",
    to: "Recipient's address",
    domain: "Recipient's domain",
    from: "Sender's address",
    provider: "Mailbox provider",
    providerHint: "Such as google or microsoft.",
    reason: "Reason code",
    reasonHint: "Such as sending.mailbox_full.",
    tag: "Tag",
    tagHint: "Name and value, such as plan=gold."
  },
  audit: {
    network: "Network",
    networkHint: "IPv4 address, or IPv6 network such as 2001:db8::/64.",
    target: "ID of what was changed",
    actor: "ID of the user, token or key",
    actorHint: "As the details of an entry show it."
  },
  events: { name: "Name of the event" },
  orders: {
    view: "View",
    viewHint: "Paid includes completed orders. Abandoned are checkouts without an order.",
    views: { Paid: "Paid", Pending: "Pending", Abandoned: "Abandoned", Refunded: "Refunded" }
  },
  requests: { route: "Route", routeHint: "Such as /api/v1/sending/emails.", code: "Error code" }
}

/** The texts of a language. */
export type ListTexts = typeof listsEn
