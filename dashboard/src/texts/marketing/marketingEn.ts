/**
 * The texts of the settings of marketing in English.
 *
 * @module
 */

/** The texts. */
export const marketingEn = {
  title: "Marketing",
  text: "They bind the marketing of campaigns and flows together.",
  campaignOpens: "Opens of campaigns' email",
  campaignOpensHint: "An invisible picture, where a campaign does not say otherwise.",
  campaignClicks: "Clicks of campaigns' email",
  campaignClicksHint: "Links lead through the service, where a campaign does not say otherwise.",
  standingHolds: "Hold marketing while the account's standing is held",
  standingHoldsHint: "Too many bounces or complaints then stop campaigns and flows until they are looked at.",
  timeZone: "Time zone of people of whom none is known",
  timeZoneHint: "Such as Europe/Berlin. Else it is that of the person's country.",
  timeZoneAttribute: "Field with a person's time zone",
  timeZoneAttributeHint: "The key of a field. Empty for none.",
  hasQuiet: "Quiet hours",
  hasQuietHint: "No marketing is sent in these hours on each person's own clock.",
  from: "From",
  to: "Until",
  caps: "Most marketing emails for each person",
  capsHint: "Up to 3 of them, such as 2 in 1, 5 in 7: two emails in a day, five in a week. Empty for no cap.",
  holdout: "Held out of all marketing, in percent",
  holdoutHint: "0 to 20. The same people always, so that you can compare.",
  reserve: "Part of the daily limit that campaigns leave to other email, in percent",
  reserveHint: "0 to 50.",
  complaints: "Complaints that pause a campaign, in percent of delivered",
  bounces: "Bounces that pause a campaign, in percent of attempted",
  failures: "Contents that cannot be made and pause a campaign, in percent",
  limitHint: "Empty for never.",
  needsApproval: "Launches need the approval of a second person",
  needsApprovalHint: "One who may launch campaigns and has not changed this one last.",
  approvalAbove: "From more than this many people on",
  approvalAboveHint: "0 for every launch.",
  testAddresses: "Addresses that get tests of campaigns",
  testAddressesHint: "Beside those of members. Separated by commas.",
  saved: "Marketing settings saved",
  save: "Save"
}

/** The shape of the texts of every language. */
export type MarketingTexts = typeof marketingEn
