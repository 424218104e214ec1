/**
 * Renders the hosted pages that a person reaches from an email.
 *
 * @module
 */
import type { PageView } from "../../../../core/audience/pages/ContactPages.ts"
import { defaultLanguage, pageTexts } from "../../../../core/audience/pages/PageLanguages.ts"
import type { HandlerReply } from "../../edge/reply.ts"
import { type Html, html } from "./html.ts"
import { page } from "./layout.ts"

const english = pageTexts(defaultLanguage)

/** The page of an invalid token, without the reason. */
export const notFoundPage = page(404, english.notFound.title, html`<p>${english.notFound.text}</p>`)

/** The host of an http(s) URL in its ASCII form; null for any other URL, which pages do not link to. */
const hostOf = (url: string): string | null => {
  if (!URL.canParse(url)) return null
  const { host, protocol } = new URL(url)
  return protocol === "http:" || protocol === "https:" ? host : null
}

const testTitle = "This link is from a test email"

/** The page for a link to a person's own pages in a test email of a campaign. */
export const testPage = page(
  200,
  testTitle,
  html`<p>
    In the email of the campaign it leads to the page of the person who got it. Nothing was changed.
  </p>`
)

/** Shows the target of a link in a test email. */
export const destinationPage = (url: string): HandlerReply<never> => {
  const host = hostOf(url)
  if (host === null) return notFoundPage
  return page(
    200,
    testTitle,
    html`<p>It leads to <strong>${host}</strong>, another site. Continue only if you know it.</p>
      <p><a href="${url}" rel="noopener nofollow">Continue to ${host}</a></p>`,
    { "cache-control": "no-store" }
  )
}

/** The page of a confirmation link whose contact has changed the address. The reader may be another person. */
export const outdatedPage = page(410, english.outdated.title, html`<p>${english.outdated.text}</p>`)

/** The page that is shown while the database is unavailable. */
export const unavailablePage = page(
  503,
  english.unavailable.title,
  html`<p>${english.unavailable.text}</p>`,
  { "retry-after": "1" }
)

/** An address that its owner recognises but others cannot read: `a•••@example.com`. */
export const maskedEmail = (email: string): string => {
  const [first = ""] = email
  return `${first}•••${email.slice(email.lastIndexOf("@"))}`
}

/** A page in the reader's language and with the sender's brand. */
const pageOf = ({ brand, language }: PageView, title: string, content: Html): HandlerReply<never> =>
  page(200, title, content, {}, language, brand)

const addressed = ({ email, texts }: PageView): Html =>
  email === null ? html`` : html`<p class="soft">${texts.addressed(maskedEmail(email))}</p>`

/** The page that confirms a sign-up, or says that there is nothing to confirm. */
export const confirmPage = (view: PageView): HandlerReply<never> => {
  const { accountName } = view
  const { confirm, nothingToConfirm, subscribed } = view.texts
  switch (view.contact.consentStatus) {
    case "PendingConfirmation": {
      const text = confirm.text(accountName)
      return pageOf(
        view,
        confirm.title,
        html`${addressed(view)}
          <p>${text}</p>
          <form method="post">
            <input type="hidden" name="text" value="${text}" />
            <button type="submit">${confirm.button}</button>
          </form>`
      )
    }
    case "Subscribed":
      return pageOf(
        view,
        subscribed.title,
        html`${addressed(view)}
          <p>${subscribed.text(accountName)}</p>`
      )
    default:
      return pageOf(
        view,
        nothingToConfirm.title,
        html`${addressed(view)}
          <p>${nothingToConfirm.text(accountName)}</p>`
      )
  }
}

const getsNothing = ({ contact }: PageView): boolean =>
  contact.consentStatus === "Unsubscribed" ||
  contact.consentStatus === "Bounced" ||
  contact.consentStatus === "Complained"

/** The page that unsubscribes from everything, or says that this is done. */
export const unsubscribePage = (view: PageView): HandlerReply<never> => {
  const { unsubscribe, unsubscribed } = view.texts
  return getsNothing(view)
    ? pageOf(
        view,
        unsubscribed.title,
        html`${addressed(view)}
          <p>${unsubscribed.text(view.accountName)}</p>`
      )
    : pageOf(
        view,
        unsubscribe.title,
        html`${addressed(view)}
          <p>${unsubscribe.text(view.accountName)}</p>
          <form method="post">
            <input type="hidden" name="from" value="page" />
            <button type="submit">${unsubscribe.button}</button>
          </form>`
      )
}

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

const topicsForm = ({ texts, topics }: PageView): Html => {
  const { save, topics: legend } = texts.preferences
  return topics.length === 0
    ? html``
    : html`<form method="post">
        <fieldset>
          <legend>${legend}</legend>
          ${topics.map(topicRow)}
        </fieldset>
        <button type="submit" name="action" value="save">${save}</button>
      </form> `
}

/** The page with topics on and off, and unsubscribing from everything. */
export const preferencesPage = (view: PageView, saved: boolean): HandlerReply<never> => {
  const { accountName } = view
  const texts = view.texts.preferences
  const notice = saved ? html`<p class="notice" role="status">${texts.saved}</p>` : html``
  const unsubscribe = getsNothing(view)
    ? html`<p>${texts.stopped(accountName)}</p>`
    : html`<form method="post">
        <p>${texts.stop(accountName)}</p>
        <button type="submit" class="quiet" name="action" value="unsubscribe">${texts.stopAll}</button>
      </form>`
  return pageOf(
    view,
    texts.title(accountName),
    html`${notice}${addressed(view)} ${topicsForm(view)}
      <h2>${texts.all}</h2>
      ${unsubscribe}`
  )
}
