/**
 * The built-in segments that every account has (docs/contributing/decisions.md 3). They are not stored.
 *
 * @module
 */
import { hashUuid } from "../../shared/Uuid.ts"
import { type BuiltInKey, builtInKeys, type DefinitionDocument, type Segment } from "../../model/Segment.ts"

const rule = (fieldKey: string, operator: string, value: number | string | null = null) => ({
  fieldKey,
  operator,
  value
})

const builtIns: Record<
  BuiltInKey,
  { readonly name: string; readonly description: string; readonly definition: DefinitionDocument }
> = {
  all: { name: "Everybody", description: "Every contact.", definition: { join: "All", rules: [] } },
  subscribed: {
    name: "Subscribed",
    description: "Contacts whose consent is Subscribed.",
    definition: { join: "All", rules: [rule("consentStatus", "Equals", "Subscribed")] }
  },
  customers: {
    name: "Customers",
    description: "Contacts who have bought.",
    definition: { join: "All", rules: [rule("isPayingCustomer", "IsTrue")] }
  },
  repeat_customers: {
    name: "Repeat customers",
    description: "Contacts with two orders or more.",
    definition: { join: "All", rules: [rule("orderCount", "GreaterOrEqual", 2)] }
  },
  engaged_90_days: {
    name: "Engaged in 90 days",
    description: "Contacts who opened or clicked an email in the last 90 days.",
    definition: {
      join: "Any",
      rules: [rule("lastOpenAt", "InLastDays", 90), rule("lastClickAt", "InLastDays", 90)]
    }
  },
  inactive_180_days: {
    name: "Inactive for 180 days",
    description: "Contacts added before the last 180 days who neither opened, clicked nor ordered in them.",
    definition: {
      join: "All",
      rules: [
        rule("addedAt", "NotInLastDays", 180),
        rule("lastOpenAt", "NotInLastDays", 180),
        rule("lastClickAt", "NotInLastDays", 180),
        rule("lastOrderAt", "NotInLastDays", 180)
      ]
    }
  },
  new_30_days: {
    name: "New in 30 days",
    description: "Contacts added in the last 30 days.",
    definition: { join: "All", rules: [rule("addedAt", "InLastDays", 30)] }
  }
}

/**
 * The built-in segments of an account, in the order of `builtInKeys`. Their ids are UUIDv8 (RFC 9562, 5.8) of a SHA-256 of the
 * account and the key, so they are the same on every node and never change.
 */
export const builtInSegments = (
  accountId: string,
  sha256Hex: (input: string) => string
): ReadonlyArray<Segment> =>
  builtInKeys.map((key) => ({
    id: hashUuid(sha256Hex(`segment ${accountId} ${key}`)),
    accountId,
    ...builtIns[key],
    builtInKey: key,
    createdAt: 0,
    updatedAt: 0,
    updatedBy: null
  }))
