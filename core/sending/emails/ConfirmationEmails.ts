/**
 * Sends the email that asks a person to confirm a sign-up, in the person's language and with the texts and the brand of the
 * company.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { DoubleOptIn } from "../../audience/pages/DoubleOptIn.ts"
import { directionOf, pageLanguage, pageTexts } from "../../audience/pages/PageLanguages.ts"
import type { PageTexts } from "../../audience/pageTexts/PageTexts.ts"
import { brandFinder, type ShownBrand } from "../../images/Brands.ts"
import { onColor } from "../../images/Contrast.ts"
import { imageUrl } from "../../images/ImageKeys.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { Actor } from "../../model/Actor.ts"
import type { ConsentStatus } from "../../model/Consent.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { defaultColors } from "../templates/BlockDocument.ts"
import { escapeHtml } from "../templates/Preheader.ts"
import { Emails } from "./Emails.ts"

/** A person who was asked by email. */
export interface ConfirmationSent {
  readonly consentStatus: ConsentStatus
  /** The email; null if the person's consent does not wait for a confirmation, and no email was sent. */
  readonly emailId: string | null
}

/** The texts and the design of the email. */
interface Confirmation {
  readonly texts: PageTexts
  readonly language: string
  readonly name: string
  readonly brand: ShownBrand
  readonly logoUrl: string | null
  /** The URL of the page on which the person confirms. */
  readonly url: string
}

/** The content of the email. */
export const confirmationContent = ({ brand, language, logoUrl, name, texts, url }: Confirmation) => {
  const { confirm, mail } = texts
  const subject = mail.subject(name).replaceAll(/\s+/g, " ").trim()
  const accent = brand.colors.accent ?? defaultColors.accent
  const ends = [brand.footer, brand.postalAddress].filter((one) => one !== null)
  const line = (style: string, text: string) => `<p style="margin:0 0 16px;${style}">${text}</p>`
  const soft = "font-size:13px;color:#666666"
  const parts = [
    ...(logoUrl === null
      ? []
      : [
          line(
            "",
            `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" style="max-width:192px;max-height:64px">`
          )
        ]),
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:30px">${escapeHtml(confirm.title)}</h1>`,
    line("", escapeHtml(mail.text(name))),
    line(
      "",
      `<a href="${escapeHtml(url)}" data-no-track style="display:inline-block;padding:12px 24px;border-radius:6px;` +
        `background:${accent};color:${onColor(accent)};font-weight:bold;text-decoration:none">` +
        `${escapeHtml(confirm.button)}</a>`
    ),
    line(soft, escapeHtml(mail.ignore)),
    ...ends.map((end) => line(soft, escapeHtml(end).replaceAll("\n", "<br>")))
  ]
  return {
    subject,
    html:
      `<!doctype html><html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8">` +
      `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(subject)}</title></head>` +
      `<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Arial,sans-serif;font-size:16px;line-height:24px">` +
      `<div dir="${directionOf(language)}" style="max-width:560px;margin:0 auto">${parts.join("\n")}</div></body></html>`,
    text: [mail.text(name), `${confirm.button}: ${url}`, mail.ignore, ...ends].join("\n\n")
  }
}

/** Asks people by email to confirm their sign-up. */
export class ConfirmationEmails extends Context.Service<
  ConfirmationEmails,
  {
    /**
     * Sets a contact to PendingConfirmation and sends the email to it, from the account's default sender and as transactional
     * email. Fails with common.not_found, audience.contact_without_email, and the codes of `Emails.submit`.
     */
    readonly send: (
      accountId: string,
      contactId: string,
      actor: Actor
    ) => Effect.Effect<ConfirmationSent, Problem | Unavailable>
  }
>()("svc/sending/ConfirmationEmails") {
  static readonly layer = Layer.effect(
    ConfirmationEmails,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const contacts = yield* ContactStore
      const { ask } = yield* DoubleOptIn
      const emails = yield* Emails
      const endpoint = yield* PublicEndpoint
      const findBrand = yield* brandFinder

      return ConfirmationEmails.of({
        send: Effect.fn("ConfirmationEmails.send")(function* (accountId, contactId, actor) {
          const [[account], [contact]] = yield* Effect.all([
            accounts.find([accountId]),
            contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
          ])
          if (account === undefined || contact === undefined || contact.erasedAt !== null) {
            return yield* Problem.of("common.not_found")
          }
          if (contact.email === null) return yield* Problem.of("audience.contact_without_email")
          // The address may have changed since. The link is sent to the address that it is bound to.
          const { confirm, consentStatus, email } = yield* ask(accountId, contactId, actor)
          if (consentStatus !== "PendingConfirmation") return { consentStatus, emailId: null }
          if (email === null) return yield* Problem.of("audience.contact_without_email")
          const brand = yield* findBrand(account)
          const own = brand.pageTexts
          const language = pageLanguage(own, contact.language, account.settings.language)
          const content = confirmationContent({
            texts: pageTexts(language, own),
            language,
            name: brand.name ?? account.name,
            brand,
            logoUrl: brand.logo === null ? null : imageUrl(endpoint.baseUrl(), brand.logo),
            url: endpoint.baseUrl() + confirm
          })
          const request = { to: email, ...content, tracking: { opens: false, clicks: false } }
          const { submission } = yield* emails.submit(accountId, request, null)
          return { consentStatus, emailId: submission.id }
        })
      })
    })
  ).pipe(Layer.provide(Emails.layer))
}
