/**
 * Validated segment definitions, which state the contacts that a segment selects (docs/contributing/decisions.md 3, Segments).
 * SegmentRules makes them from submitted definitions. The evaluator and the SQL compiler both interpret them and must agree.
 *
 * @module
 */

/** The field of a rule. */
export type SegmentField =
  | {
      readonly _tag: "Text"
      readonly column:
        | "email"
        | "firstName"
        | "lastName"
        | "phone"
        | "city"
        | "countryCode"
        | "language"
        | "consentStatus"
    }
  | { readonly _tag: "Number"; readonly column: "orderCount" | "totalSpent" }
  | { readonly _tag: "Boolean"; readonly column: "isPayingCustomer" }
  | {
      readonly _tag: "Date"
      readonly column: "lastOrderAt" | "lastOpenAt" | "lastClickAt" | "lastEmailedAt" | "addedAt"
    }
  | { readonly _tag: "Tags" }
  | {
      readonly _tag: "Attribute"
      readonly key: string
      readonly type: "Text" | "Number" | "Boolean" | "Date" | "DateTime" | "TextList"
    }
  /** A topic, and whether it is on for contacts who never chose. */
  | { readonly _tag: "Topic"; readonly topicId: string; readonly defaultOn: boolean }
  /** The number of times that a timeline event occurred. */
  | { readonly _tag: "Events"; readonly name: string }
  /** The result of a campaign's email to the contact. */
  | { readonly _tag: "Campaign"; readonly campaignId: string }
  /** The number of campaigns that the contact got, opened or clicked. */
  | { readonly _tag: "Campaigns" }

export const textOperators = [
  "Equals",
  "NotEquals",
  "Contains",
  "NotContains",
  "StartsWith",
  "EndsWith"
] as const
export const textListOperators = ["In", "NotIn"] as const
export const numberOperators = [
  "Equals",
  "NotEquals",
  "GreaterThan",
  "GreaterOrEqual",
  "LessThan",
  "LessOrEqual"
] as const
export const dateOperators = ["Before", "After", "On"] as const
export const relativeOperators = ["InLastDays", "NotInLastDays", "InNextDays"] as const
export const booleanOperators = ["IsTrue", "IsFalse"] as const
export const listOperators = ["HasAny", "HasAll", "HasNone"] as const
export const eventOperators = ["HappenedAtLeast", "HappenedLessThan"] as const
/** `NotOpened` and `NotClicked` apply to delivered emails. Opens and clicks of machines do not count. */
export const campaignOperators = [
  "WasSent",
  "WasNotSent",
  "WasDelivered",
  "Opened",
  "NotOpened",
  "Clicked",
  "NotClicked",
  "Converted"
] as const
/** Operators on the number of campaigns submitted to the contact within the last days. */
export const campaignCountOperators = [
  "SentAtLeast",
  "SentLessThan",
  "OpenedAtLeast",
  "OpenedLessThan",
  "ClickedAtLeast",
  "ClickedLessThan"
] as const
export const presenceOperators = ["IsSet", "IsNotSet"] as const

/** The condition of a rule. */
export type SegmentTest =
  | { readonly operator: (typeof textOperators)[number]; readonly text: string }
  | { readonly operator: (typeof textListOperators)[number]; readonly texts: ReadonlyArray<string> }
  /** Decimals in plain notation, exact. */
  | { readonly operator: (typeof numberOperators)[number]; readonly number: string }
  | { readonly operator: "Between"; readonly from: string; readonly to: string }
  /** Epoch milliseconds. `On` means the UTC day that starts then. */
  | { readonly operator: (typeof dateOperators)[number]; readonly at: number }
  | { readonly operator: (typeof relativeOperators)[number]; readonly days: number }
  | { readonly operator: (typeof booleanOperators)[number] }
  | { readonly operator: (typeof listOperators)[number]; readonly items: ReadonlyArray<string> }
  | {
      readonly operator: (typeof campaignCountOperators | typeof eventOperators)[number]
      readonly count: number
      readonly days: number
    }
  | { readonly operator: (typeof campaignOperators)[number] }
  | { readonly operator: (typeof presenceOperators)[number] }

export interface SegmentRule {
  readonly field: SegmentField
  readonly test: SegmentTest
}

/** A conjunction or disjunction of rules. Without rules, all contacts are selected. */
export interface SegmentDefinition {
  readonly join: "All" | "Any"
  readonly rules: ReadonlyArray<SegmentRule>
}
