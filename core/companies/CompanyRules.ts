/**
 * Validates the settings and the brand of a company (docs/contributing/people.md 1, 6 and 7).
 *
 * @module
 */
import { Result } from "effect"
import { checkCompanyName } from "../accounts/Accounts.ts"
import type { Brand, BrandColors, Company } from "../model/Account.ts"
import { Issues, type Problem } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { checkText, formats, type Maybe } from "../shared/Validate.ts"

/** How long a deleted company can be restored, milliseconds; after that it is erased. */
export const restorableMillis = 30 * 86_400_000

/** The number of days for which entries of a company's audit log can be kept. */
export const auditRetentionRange = { min: 90, max: 3650 } as const

/** The most characters of each text of a brand. */
export const brandLimits = { name: 100, postalAddress: 500, footer: 2000 } as const

/** A change of a company. Absent values stay unchanged. */
export interface CompanyChanges {
  readonly name?: string | undefined
  readonly requireTwoFactors?: boolean | undefined
  readonly auditRetentionDays?: number | undefined
}

/** A brand as submitted. Absent values become null. */
export interface GivenBrand {
  readonly name?: Maybe<string>
  readonly logo?: Maybe<string>
  readonly colors?: Maybe<{ readonly [Name in keyof BrandColors]?: Maybe<string> }>
  readonly postalAddress?: Maybe<string>
  readonly footer?: Maybe<string>
}

type Policy = Pick<Company, "name" | "requireTwoFactors" | "auditRetentionDays">

/** Validates a change of a company. */
export const parseCompanyChanges = (given: CompanyChanges): Result.Result<Partial<Policy>, Problem> => {
  const issues = new Issues()
  const { auditRetentionDays: days, name, requireTwoFactors } = given
  const { max, min } = auditRetentionRange
  if (days !== undefined && !(Number.isInteger(days) && days >= min && days <= max)) {
    issues.add("validation.range", "auditRetentionDays", { min, max })
  }
  return issues.result({
    ...(name === undefined ? {} : { name: checkCompanyName(name, issues) }),
    ...(requireTwoFactors === undefined ? {} : { requireTwoFactors }),
    ...(days === undefined ? {} : { auditRetentionDays: days })
  })
}

const colorPattern = /^#[0-9a-f]{6}$/i

const checkColor = (given: Maybe<string>, field: string, issues: Issues): string | null => {
  if (given == null) return null
  const color = given.trim().toLowerCase()
  if (!colorPattern.test(color)) {
    issues.add("validation.format", field, null, { expected: formats.color })
  }
  return color
}

/** Validates a brand. Texts are trimmed; empty ones become null. */
export const parseBrand = (given: GivenBrand): Result.Result<Brand, Problem> => {
  const issues = new Issues()
  const text = (field: keyof typeof brandLimits): string | null => {
    const value = given[field]
    return value == null ? null : checkText(value, field, brandLimits[field], issues) || null
  }
  const logo = given.logo ?? null
  if (logo !== null && !isUuid(logo)) {
    issues.add("validation.format", "logo", null, { expected: formats.uuid })
  }
  const { accent, background, text: ink } = given.colors ?? {}
  return issues.result({
    name: text("name"),
    logo: logo?.toLowerCase() ?? null,
    colors: {
      accent: checkColor(accent, "colors.accent", issues),
      background: checkColor(background, "colors.background", issues),
      text: checkColor(ink, "colors.text", issues)
    },
    postalAddress: text("postalAddress"),
    footer: text("footer")
  })
}
