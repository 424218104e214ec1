/**
 * The public archive of an account: its sent campaigns that their authors made public, as a person sees them about whom
 * nothing is stored. While the account's setting is off, the archive has no pages.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { brandFinder, type ShownBrand } from "../images/Brands.ts"
import { PublicEndpoint } from "../kernel/PublicEndpoint.ts"
import type { Account } from "../model/Account.ts"
import type { Campaign } from "../model/Campaign.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { HtmlRewriter } from "../ports/HtmlRewriter.ts"
import { CampaignContents } from "../sending/templates/CampaignContents.ts"
import { fromBase64Url, fromHex, toBase64Url, toHex } from "../shared/Bytes.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { formatUuid } from "../shared/Uuid.ts"
import { documentOf, strangersCopy } from "./WebVersions.ts"

/** The path of archives, after the base URL. */
export const archivePath = "/a"

/** The number of campaigns on a page and in the feed. */
export const archivePageSize = 20
/** The number of the last page. */
const maxPage = 1_000

/** The key of an account's archive: a shorter form of the account's id. */
const keyOf = (accountId: string): string => toBase64Url(fromHex(accountId.replaceAll("-", "")))

/** The account id of a key; null for an invalid key. */
const accountOf = (key: string): string | null => {
  if (!/^[\w-]{22}$/.test(key)) return null
  const id = formatUuid(toHex(fromBase64Url(key)))
  return keyOf(id) === key ? id : null
}

/** The URL of an account's archive. */
export const archiveUrl = (baseUrl: string, accountId: string): string =>
  `${baseUrl}${archivePath}/${keyOf(accountId)}`

/** A campaign in a list of the archive. */
interface ArchivedCampaign {
  readonly url: string
  readonly title: string
  readonly summary: string | null
  /** When the campaign started, epoch milliseconds. */
  readonly at: number
}

/** A page of an archive. */
export interface ArchiveView {
  readonly url: string
  readonly title: string
  readonly description: string | null
  readonly language: string
  readonly brand: ShownBrand
  /** Newest first. */
  readonly campaigns: ReadonlyArray<ArchivedCampaign>
  /** From 1. */
  readonly page: number
  readonly hasNext: boolean
}

/** Reads the archives of accounts. */
export class PublicArchive extends Context.Service<
  PublicArchive,
  {
    /** Returns a page of an archive; null for an unknown key, an archive that is off, or a page beyond the last. */
    readonly list: (key: string, page: number) => Effect.Effect<ArchiveView | null, Unavailable>
    /**
     * Returns the document of a campaign; null as for `list`, and if the campaign is not in the archive or cannot be rendered.
     */
    readonly show: (key: string, slug: string) => Effect.Effect<string | null, Unavailable>
  }
>()("svc/campaigns/PublicArchive") {
  static readonly layer = Layer.effect(
    PublicArchive,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const contents = yield* CampaignContents
      const endpoint = yield* PublicEndpoint
      const findBrand = yield* brandFinder
      const rewriter = yield* HtmlRewriter
      const store = yield* CampaignStore

      const openedBy = Effect.fnUntraced(function* (
        key: string
      ): Effect.fn.Return<Account | null, Unavailable> {
        const id = accountOf(key)
        const [account] = id === null ? [] : yield* accounts.find([id])
        return account?.settings.archive.enabled === true ? account : null
      })

      /** Renders campaigns for a person about whom nothing is stored; null for each that cannot be rendered. */
      const render = Effect.fnUntraced(function* (
        accountId: string,
        campaigns: ReadonlyArray<Campaign>,
        parts: "All" | "Subject"
      ) {
        const now = yield* Clock.currentTimeMillis
        const versions = yield* store.versions(
          campaigns.map(({ id, version }) => ({ accountId, campaignId: id, version }))
        )
        const byId = new Map(versions.map((version) => [version.campaignId, version]))
        const none = parts === "All" ? {} : { html: null, text: "" }
        const found = campaigns.flatMap((campaign) => {
          const version = byId.get(campaign.id)
          if (version === undefined) return []
          const { contact, variant } = strangersCopy(campaign, now)
          const shown = {
            ...version,
            ...none,
            parts: version.parts?.map((part) => ({ ...part, ...none })) ?? null
          }
          return [{ id: campaign.id, copy: { version: shown, contact, variant } }]
        })
        const rendered = yield* contents.renderPages(
          accountId,
          found.map(({ copy }) => copy)
        )
        const results = new Map(found.map(({ id }, index) => [id, rendered[index]!]))
        return campaigns.map(({ id }) => {
          const result = results.get(id)
          return result === undefined || Result.isFailure(result) ? null : result.success
        })
      })

      return PublicArchive.of({
        list: Effect.fn("PublicArchive.list")(function* (key, page) {
          const account = yield* openedBy(key)
          if (account === null || page > maxPage) return null
          const { archive, language } = account.settings
          const brand = yield* findBrand(account)
          const offset = (page - 1) * archivePageSize
          const found = yield* store.archived(account.id, archivePageSize + 1, offset)
          if (found.length === 0 && page > 1) return null
          const shown = found.slice(0, archivePageSize)
          const rendered = yield* render(account.id, shown, "Subject")
          const url = archiveUrl(endpoint.baseUrl(), account.id)
          return {
            url,
            title: archive.title ?? brand.name ?? account.name,
            description: archive.description,
            language,
            brand,
            campaigns: shown.map(
              (
                {
                  definition: {
                    archive: { slug, summary, title }
                  },
                  startAt
                },
                index
              ) => ({
                url: `${url}/${slug}`,
                title: title ?? (rendered[index]?.subject || slug!),
                summary,
                at: startAt ?? 0
              })
            ),
            page,
            hasNext: found.length > shown.length
          }
        }),
        show: Effect.fn("PublicArchive.show")(function* (key, slug) {
          const account = yield* openedBy(key)
          const campaign = account === null ? null : yield* store.bySlug(account.id, slug)
          if (account === null || campaign?.status !== "Sent" || !campaign.definition.archive.public)
            return null
          const [rendered] = yield* render(account.id, [campaign], "All")
          if (rendered == null) return null
          return documentOf(rewriter, rendered, account.settings.language, yield* findBrand(account))
        })
      })
    })
  ).pipe(Layer.provide(CampaignContents.layer))
}
