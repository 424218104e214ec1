/**
 * The texts of the marketing settings in English.
 *
 * @module
 */

/** The texts. */
export const marketingEn = {
  title: "Marketing",
  text: "These settings apply to the marketing email of campaigns and flows.",
  campaignOpens: "Track opens of campaigns",
  campaignOpensHint: "Adds a tracking pixel, unless a campaign overrides it.",
  campaignClicks: "Track clicks in campaigns",
  campaignClicksHint: "Rewrites links to go through the service, unless a campaign overrides it.",
  standingHolds: "Hold marketing when standing is poor",
  standingHoldsHint: "Too many bounces or complaints then pause campaigns and flows until they are reviewed.",
  timeZone: "Default time zone",
  timeZoneHint: "Such as Europe/Berlin. Used where neither the person nor their country has one.",
  timeZoneAttribute: "Time zone field",
  timeZoneAttributeHint: "The key of a contact field. Leave empty for none.",
  hasQuiet: "Quiet hours",
  hasQuietHint: "No marketing is sent during these hours in each person's time zone.",
  from: "From",
  to: "Until",
  caps: "Frequency caps per person",
  capsHint: "Up to 3, such as 2 in 1, 5 in 7: two emails in a day, five in a week. Leave empty for no cap.",
  holdout: "Global holdout group (%)",
  holdoutHint: "0 to 20. Always the same people, for comparison.",
  reserve: "Daily limit reserved for other email (%)",
  reserveHint: "0 to 50. Campaigns do not use this part.",
  complaints: "Pause at complaint rate (% of delivered)",
  bounces: "Pause at bounce rate (% of attempted)",
  failures: "Pause at render failure rate (%)",
  limitHint: "Leave empty to never pause.",
  needsApproval: "Require approval to launch",
  needsApprovalHint: "By someone who can launch campaigns and is not the last editor.",
  approvalAbove: "For more than this many people",
  approvalAboveHint: "0 for every launch.",
  testAddresses: "Test addresses",
  testAddressesHint: "In addition to members. Separate with commas.",
  saved: "Marketing settings saved",
  save: "Save"
}

/** The shape of the texts of every language. */
export type MarketingTexts = typeof marketingEn
