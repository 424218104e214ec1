/**
 * The links of a campaign as its author wrote them, and which clicks belong to which link.
 *
 * @module
 */
import { Effect } from "effect"
import type { CampaignRecipient, CampaignVersion, VariantId } from "../model/Campaign.ts"
import type { VisitVerdict } from "../model/Visit.ts"
import type { LinkCount, RecipientLink } from "../ports/CampaignStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { HtmlRewriter, type KeptLinks, type TemplateLink } from "../ports/HtmlRewriter.ts"
import { withUtm } from "../sending/templates/CampaignContents.ts"
import { countedLinks, linkDigest } from "../sending/templates/LinkNames.ts"

/** A link of a campaign with its clicks. */
export interface CampaignLink {
  /**
   * From 1, in the order of the first version with the link; null for the entry of all links that are not written in the
   * content.
   */
  readonly number: number | null
  /** The variant; null without a test. */
  readonly variant: VariantId | null
  /** The URL as written, before rendering; null for the entry of all links that are not written in the content. */
  readonly url: string | null
  /** The text as written, before rendering; null if it has none. */
  readonly text: string | null
  /** People who clicked. Each person counts once, under their most human verdict. */
  readonly people: Readonly<Record<VisitVerdict, number>>
  /** All clicks, including those of machines. */
  readonly clicks: number
  /** Epoch milliseconds; null if the link has not been clicked. */
  readonly firstAt: number | null
  readonly lastAt: number | null
}

/** Reads the links of content, and names them as in the clicks of emails. */
export interface LinkTools {
  /** The tracked links of HTML as written; with an attribute, those that do not have it. */
  readonly linksOf: (
    html: string,
    without?: KeptLinks
  ) => ReadonlyArray<Pick<TemplateLink, "isRendered" | "text" | "url">>
  readonly nameOf: (url: string) => string
}

/** Reads links with the rewriter that tracks them. */
export const linkTools = Effect.gen(function* () {
  const crypto = yield* Crypto
  const rewriter = yield* HtmlRewriter
  return { linksOf: rewriter.templateLinks, nameOf: (url: string) => linkDigest(crypto, url) }
})

type Bodies = Pick<CampaignVersion, "html"> & { readonly variant: VariantId | null }

const noClicks = { people: { Human: 0, Machine: 0, Unknown: 0 }, clicks: 0, firstAt: null, lastAt: null }

const add = (link: CampaignLink, { clicks, firstAt, human, lastAt, machine, unknown }: LinkCount) => ({
  ...link,
  people: {
    Human: link.people.Human + human,
    Machine: link.people.Machine + machine,
    Unknown: link.people.Unknown + unknown
  },
  clicks: link.clicks + clicks,
  firstAt: Math.min(link.firstAt ?? firstAt, firstAt),
  lastAt: Math.max(link.lastAt ?? lastAt, lastAt)
})

/** A link as the emails of a version name it, with its number. */
export interface NumberedLink extends RecipientLink {
  readonly number: number
}

/** The links written in versions (oldest first), and their names in emails. */
const namedLinks = (versions: ReadonlyArray<CampaignVersion>, { linksOf, nameOf }: LinkTools) => {
  const links = new Map<string, CampaignLink>()
  const names: Array<RecipientLink & { readonly key: string }> = []
  const numbers = new Map<VariantId | null, number>()
  for (const version of versions) {
    const bodies: ReadonlyArray<Bodies> = version.parts ?? [{ html: version.html, variant: null }]
    for (const { html, variant } of bodies) {
      if (html === null) continue
      const withParameters = new Set(
        version.utm === null ? [] : linksOf(html, "data-no-utm").map(({ url }) => url)
      )
      for (const { isRendered, text, url } of countedLinks(linksOf(html, "data-no-track"))) {
        const key = `${variant} ${url}`
        if (!links.has(key)) {
          const number = (numbers.get(variant) ?? 0) + 1
          numbers.set(variant, number)
          links.set(key, { number, variant, url, text, ...noClicks })
        }
        // The same address may occur in a link with the parameters and in one without. An address that rendering generates is
        // named as written.
        const sent =
          !isRendered && withParameters.has(url) ? [url, withUtm(version.utm!, variant, url)] : [url]
        for (const one of sent) names.push({ version: version.version, variant, link: nameOf(one), key })
      }
    }
  }
  return { links, names }
}

/** The numbered links of versions (oldest first), with their names in emails. */
export const numberedLinks = (
  versions: ReadonlyArray<CampaignVersion>,
  tools: LinkTools
): ReadonlyArray<NumberedLink> => {
  const { links, names } = namedLinks(versions, tools)
  return names.map(({ key, link, variant, version }) => ({
    version,
    variant,
    link,
    number: links.get(key)!.number!
  }))
}

/**
 * The numbers of the links that were clicked in an email of a version, ascending and without duplicates. Clicks on links
 * without a number are left out.
 */
export const clickedNumbers = (
  numbered: ReadonlyArray<NumberedLink>,
  { variant, version }: Pick<CampaignRecipient, "variant" | "version">,
  clicked: ReadonlyArray<string>
): ReadonlyArray<number> => {
  const own = numbered.filter(
    (one) => one.version === version && one.variant === variant && clicked.includes(one.link)
  )
  return [...new Set(own.map(({ number }) => number))].toSorted((a, b) => a - b)
}

/**
 * The tracked links of versions (oldest first) with their clicks. For each variant, the result has the links written in its
 * content, in order, and then one entry for all other links: those of generated tags, and those of emails whose links have
 * other names.
 */
export const linksWithClicks = (
  versions: ReadonlyArray<CampaignVersion>,
  counts: ReadonlyArray<LinkCount>,
  tools: LinkTools
): ReadonlyArray<CampaignLink> => {
  const { links, names } = namedLinks(versions, tools)
  const named = new Map(
    names.map(({ key, link, variant, version }) => [`${version} ${variant} ${link}`, key])
  )
  for (const count of counts) {
    const { link, variant, version } = count
    const key = named.get(`${version} ${variant} ${link}`) ?? `${variant}`
    links.set(
      key,
      add(links.get(key) ?? { number: null, variant, url: null, text: null, ...noClicks }, count)
    )
  }
  const order = ({ number, variant }: CampaignLink) => [variant ?? "", number ?? Infinity] as const
  return [...links.values()].toSorted((a, b) => {
    const [[aVariant, aNumber], [bVariant, bNumber]] = [order(a), order(b)]
    return aVariant === bVariant ? aNumber - bNumber : aVariant < bVariant ? -1 : 1
  })
}
