/**
 * The brand of an account's company: how the company appears in its emails and on its pages.
 *
 * @module
 */
import { Effect } from "effect"
import { type Account, type Brand, emptyBrand, type OwnTexts } from "../model/Account.ts"
import type { Image } from "../model/Image.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ImageStore } from "../ports/ImageStore.ts"

/** The logo; null if there is none or it was deleted. */
export interface ShownBrand extends Omit<Brand, "logo"> {
  readonly logo: Image | null
  /** The company's texts, which replace those of the service. */
  readonly pageTexts: OwnTexts
}

/** Finds the brand of an account's company. */
export const brandFinder = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const images = yield* ImageStore
  return Effect.fn("Brands.find")(function* ({ companyId }: Pick<Account, "companyId">) {
    const [company] = yield* accounts.findCompanies([companyId])
    const { logo, ...brand } = company?.brand ?? emptyBrand
    const pageTexts = company?.pageTexts ?? {}
    if (company === undefined || logo === null)
      return { ...brand, pageTexts, logo: null } satisfies ShownBrand
    // The logo belongs to either account of the company.
    const owners = [company.liveAccountId, company.sandboxAccountId]
    const found = yield* Effect.forEach(owners, (owner) => images.get(owner, logo))
    const shown = found.find((one) => one !== null) ?? null
    return { ...brand, pageTexts, logo: shown } satisfies ShownBrand
  })
})
