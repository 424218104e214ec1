/**
 * Renders the emails of campaigns: from the version that their submission names, the contact as it is now and the
 * catalogue. Their content is stored once for each version, so it is rendered when the message is sent and whenever it is
 * shown.
 *
 * @module
 */
import { Context, Effect, Layer, Result } from "effect"
import { TemplateItems } from "../../catalog/TemplateItems.ts"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { contactValues } from "../../audience/contacts/ContactValues.ts"
import { ContactLinks } from "../../audience/pages/ContactLinks.ts"
import { concealLinks, withLinks } from "../../audience/pages/StoredLinks.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { CampaignVersion } from "../../model/Campaign.ts"
import type { Contact } from "../../model/Contact.ts"
import type { ExtraHeader, UnloadedSubmission } from "../../model/Submission.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { TemplateRenderer } from "./TemplateRenderer.ts"
import { type EmailLinks, unsubscribeHeaders, withUnsubscribeLink } from "./UnsubscribeLink.ts"

/** A person's copy of a version. */
export interface CampaignRender {
  readonly version: CampaignVersion
  readonly contact: Contact
  /** When it was submitted, from which its links are valid; epoch milliseconds. */
  readonly at: number
}

/** A rendered copy. Its links are not valid: they are replaced when it is sent, as those of stored emails are. */
export interface RenderedCampaign {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly headers: ReadonlyArray<ExtraHeader>
}

/** Renders the emails of campaigns. */
export class CampaignContents extends Context.Service<CampaignContents>()("svc/sending/CampaignContents", {
  make: Effect.gen(function* () {
    const campaigns = yield* CampaignStore
    const contactLinks = yield* ContactLinks
    const contacts = yield* ContactStore
    const crypto = yield* Crypto
    const keys = yield* InstallationKeys
    const publicEndpoint = yield* PublicEndpoint
    const renderer = yield* TemplateRenderer

    const render = Effect.fn("CampaignContents.render")(function* (
      accountId: string,
      renders: ReadonlyArray<CampaignRender>
    ) {
      if (renders.length === 0) return []
      const baseUrl = publicEndpoint.baseUrl()
      const conceal = concealLinks(crypto, (yield* keys.get).links, accountId)
      const links = yield* Effect.forEach(renders, ({ at, contact }) =>
        Effect.map(
          contactLinks.make({ accountId, contactId: contact.id, email: contact.email }, at),
          (made): EmailLinks => ({
            unsubscribe: baseUrl + made.unsubscribe,
            preferences: baseUrl + made.preferences
          })
        )
      )
      const rendered = yield* renderer.render(
        accountId,
        renders.map(({ contact, version }, index) => ({
          template: {
            subject: version.subject,
            preheader: version.preheader,
            compiledHtml: version.html,
            text: version.text
          },
          variables: {
            contact: contactValues(contact),
            campaign: { id: version.campaignId, name: version.name },
            unsubscribeUrl: links[index]!.unsubscribe,
            preferencesUrl: links[index]!.preferences
          }
        }))
      )
      return rendered.map((result, index) =>
        Result.map(result, ({ html, subject, text }): RenderedCampaign => {
          const own = links[index]!
          const bodies = withUnsubscribeLink({ html, text }, own, renders[index]!.contact.language)
          return { subject, ...withLinks(conceal, { headers: unsubscribeHeaders(own), ...bodies }) }
        })
      )
    })

    return {
      /**
       * Renders copies of an account, each alone, in order; sending.template_render_failed. A fixed number of reads.
       */
      render,
      /**
       * Submissions with the content of their campaign's version; those of no campaign as they are. Null for one that cannot
       * be rendered any more: its version or contact is gone, or the contact's data has changed. A fixed number of reads for
       * each account.
       */
      fill: Effect.fn("CampaignContents.fill")(function* (submissions: ReadonlyArray<UnloadedSubmission>) {
        const wanted = submissions.flatMap((submission) => {
          const { marketing } = submission
          return marketing?.campaign === undefined
            ? []
            : [{ submission, contactId: marketing.contactId, ...marketing.campaign }]
        })
        if (wanted.length === 0) return submissions
        const versions = yield* campaigns.versions(
          wanted.map(({ id, submission: { accountId }, version }) => ({ accountId, campaignId: id, version }))
        )
        const byKey = new Map(
          versions.map((one) => [`${one.accountId}/${one.campaignId}/${one.version}`, one])
        )
        const filled = new Map<UnloadedSubmission, UnloadedSubmission>()
        for (const [accountId, group] of Map.groupBy(wanted, ({ submission }) => submission.accountId)) {
          const found = yield* contacts.find(accountId, {
            ids: [...new Set(group.map(({ contactId }) => contactId))],
            externalIds: [],
            emails: []
          })
          const people = new Map(found.map((contact) => [contact.id, contact]))
          const renderable = group.flatMap(({ contactId, id, submission, version: number }) => {
            const version = byKey.get(`${accountId}/${id}/${number}`)
            const contact = people.get(contactId)
            return version === undefined || contact === undefined || contact.erasedAt !== null
              ? []
              : [{ submission, version, contact, at: submission.createdAt }]
          })
          const rendered = yield* render(accountId, renderable)
          for (const [index, { submission }] of renderable.entries()) {
            const result = rendered[index]!
            if (Result.isFailure(result)) continue
            const { headers, html, subject, text } = result.success
            filled.set(submission, {
              ...submission,
              subject,
              headers,
              bodies: { html, text },
              bodyBytes: (html?.length ?? 0) + (text?.length ?? 0)
            })
          }
        }
        const isOfCampaign = new Set(wanted.map(({ submission }) => submission))
        return submissions.map((one) => (isOfCampaign.has(one) ? (filled.get(one) ?? null) : one))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(CampaignContents, CampaignContents.make).pipe(
    Layer.provide([ContactLinks.layer, TemplateRenderer.layer.pipe(Layer.provide(TemplateItems.layer))])
  )
}
