/**
 * How the company of an account appears in what it sends and on its pages.
 *
 * @module
 */
import { Effect } from "effect"
import { type Account, type Brand, emptyBrand, type OwnTexts } from "../model/Account.ts"
import type { Image } from "../model/Image.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ImageStore } from "../ports/ImageStore.ts"

/** A brand with its logo; null for none, and for one that was deleted. */
export interface ShownBrand extends Omit<Brand, "logo"> {
  readonly logo: Image | null
  /** What the company has in place of the service's texts. */
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
    // The logo is of either account of the company.
    const owners = [company.liveAccountId, company.sandboxAccountId]
    const found = yield* Effect.forEach(owners, (owner) => images.get(owner, logo))
    const shown = found.find((one) => one !== null) ?? null
    return { ...brand, pageTexts, logo: shown } satisfies ShownBrand
  })
})
