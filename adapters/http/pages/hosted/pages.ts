/**
 * Renders the hosted pages that a person reaches from an email.
 *
 * @module
 */
import { confirmText, type PageView } from "../../../../core/audience/pages/ContactPages.ts"
import type { HandlerReply } from "../../edge/reply.ts"
import { type Html, html } from "./html.ts"
import { page } from "./layout.ts"

/** The page of an invalid token, without the reason. */
export const notFoundPage = page(
  404,
  "This link does not work",
  html`<p>It may have ended, or part of it may be missing. Please use the link in the most recent email.</p>`
)

/** The host of an http(s) URL as it is looked up; null for any other URL, which no page links to. */
const hostOf = (url: string): string | null => {
  if (!URL.canParse(url)) return null
  const { host, protocol } = new URL(url)
  return protocol === "http:" || protocol === "https:" ? host : null
}

/** Shows where a link of a test email leads. */
export const destinationPage = (url: string): HandlerReply<never> => {
  const host = hostOf(url)
  if (host === null) return notFoundPage
  return page(
    200,
    "This link is from a test email",
    html`<p>It leads to <strong>${host}</strong>, another site. Continue only if you know it.</p>
      <p><a href="${url}" rel="noopener nofollow">Continue to ${host}</a></p>`,
    { "cache-control": "no-store" }
  )
}

/** The page of a confirmation link whose contact has another address now. */
export const outdatedPage = page(
  410,
  "This link is no longer valid",
  html`<p>
    It was sent to an address that is no longer that of this sign-up. Nothing was confirmed. Please use the
    link in the most recent email.
  </p>`
)

/** The page shown while the database is unavailable. */
export const unavailablePage = page(
  503,
  "Please try again",
  html`<p>We cannot do this right now. Nothing was changed. Please try again in a moment.</p>`,
  { "retry-after": "1" }
)

/** An address that its owner recognises and others cannot read: `a•••@example.com`. */
export const maskedEmail = (email: string): string => {
  const [first = ""] = email
  return `${first}•••${email.slice(email.lastIndexOf("@"))}`
}

const addressed = ({ email }: PageView): Html =>
  email === null ? html`` : html`<p class="soft">For ${maskedEmail(email)}</p>`

/** Confirms a sign-up, or states that there is nothing to confirm. */
export const confirmPage = (view: PageView): HandlerReply<never> => {
  switch (view.contact.consentStatus) {
    case "PendingConfirmation":
      return page(
        200,
        "Please confirm",
        html`${addressed(view)}
          <p>${confirmText(view.accountName)}</p>
          <form method="post">
            <input type="hidden" name="text" value="${confirmText(view.accountName)}" />
            <button type="submit">Confirm</button>
          </form>`
      )
    case "Subscribed":
      return page(
        200,
        "You are subscribed",
        html`${addressed(view)}
          <p>Thank you. You will receive emails from ${view.accountName}.</p>`
      )
    default:
      return page(
        200,
        "There is nothing to confirm",
        html`${addressed(view)}
          <p>This sign-up to emails from ${view.accountName} is no longer waiting for a confirmation.</p>`
      )
  }
}

const getsNothing = ({ contact }: PageView): boolean =>
  contact.consentStatus === "Unsubscribed" ||
  contact.consentStatus === "Bounced" ||
  contact.consentStatus === "Complained"

/** Unsubscribes from everything, or states that this is done. */
export const unsubscribePage = (view: PageView): HandlerReply<never> =>
  getsNothing(view)
    ? page(
        200,
        "You are unsubscribed",
        html`${addressed(view)}
          <p>You will receive no more newsletters or offers from ${view.accountName}.</p>`
      )
    : page(
        200,
        "Unsubscribe",
        html`${addressed(view)}
          <p>Do you want to stop receiving newsletters and offers from ${view.accountName}?</p>
          <form method="post">
            <input type="hidden" name="from" value="page" />
            <button type="submit">Unsubscribe</button>
          </form>`
      )

const topicRow = ({ on, topic }: PageView["topics"][number]): Html => {
  const name = html`<strong>${topic.name}</strong>`
  const description =
    topic.description === null ? html`` : html` <span class="soft">${topic.description}</span>`
  const checked = on ? html` checked` : html``
  return html`<div class="topic">
    <input type="hidden" name="shown" value="${topic.id}" />
    <input type="checkbox" id="topic-${topic.id}" name="on" value="${topic.id}" ${checked} />
    <label for="topic-${topic.id}">${name}${description}</label>
  </div> `
}

const topicsForm = ({ topics }: PageView): Html =>
  topics.length === 0
    ? html``
    : html`<form method="post">
        <fieldset>
          <legend>What would you like to hear about?</legend>
          ${topics.map(topicRow)}
        </fieldset>
        <button type="submit" name="action" value="save">Save</button>
      </form> `

/** Topics on and off, and unsubscribing from everything. */
export const preferencesPage = (view: PageView, saved: boolean): HandlerReply<never> => {
  const notice = saved ? html`<p class="notice" role="status">Your choices are saved.</p>` : html``
  const unsubscribe = getsNothing(view)
    ? html`<p>
        You are unsubscribed: you receive no newsletters or offers from ${view.accountName}, whatever is
        chosen above.
      </p>`
    : html`<form method="post">
        <p>Stop all newsletters and offers from ${view.accountName}.</p>
        <button type="submit" class="quiet" name="action" value="unsubscribe">Unsubscribe from all</button>
      </form>`
  return page(
    200,
    `Emails from ${view.accountName}`,
    html`${notice}${addressed(view)} ${topicsForm(view)}
      <h2>All emails</h2>
      ${unsubscribe}`
  )
}
