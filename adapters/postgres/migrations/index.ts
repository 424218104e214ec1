/**
 * Lists all migrations in order. The list only grows, because a released migration never changes.
 *
 * @module
 */
import { statements as operations } from "./0001_operations.ts"
import { statements as audienceAndSending } from "./0002_audience_and_sending.ts"
import { statements as jobs } from "./0003_jobs.ts"
import { statements as fieldsAndTopics } from "./0004_fields_and_topics.ts"
import { statements as segments } from "./0005_segments.ts"
import { statements as erasureAndTimeline } from "./0006_erasure_and_timeline.ts"
import { statements as imports } from "./0007_imports.ts"
import { statements as contactUpdates } from "./0008_contact_updates.ts"
import { statements as sending } from "./0009_sending.ts"
import { statements as secretCheck } from "./0010_secret_check.ts"
import { statements as webhooks } from "./0011_webhooks.ts"
import { statements as items } from "./0012_items.ts"
import { statements as commerce } from "./0013_commerce.ts"
import { statements as commerceIndexes } from "./0014_commerce_indexes.ts"
import { statements as events } from "./0015_events.ts"
import { statements as flows } from "./0016_flows.ts"
import { statements as dailyCounts } from "./0017_daily_counts.ts"
import { statements as orderSearch } from "./0018_order_search.ts"
import { statements as claims } from "./0019_claims.ts"
import { statements as orderSearchRanges } from "./0020_order_search_ranges.ts"
import { statements as orderSearchStatuses } from "./0021_order_search_statuses.ts"
import { statements as retentionTurns } from "./0022_retention_turns.ts"
import { statements as queuedEmails } from "./0023_queued_emails.ts"
import { statements as sealedSecrets } from "./0024_sealed_secrets.ts"
import { statements as audienceChanges } from "./0025_audience_changes.ts"
import { statements as inboxRendering } from "./0026_inbox_rendering.ts"
import { statements as installationTokens } from "./0027_installation_tokens.ts"
import { statements as visits } from "./0028_visits.ts"
import { statements as conversions } from "./0029_conversions.ts"
import { statements as reviewHolds } from "./0030_review_holds.ts"
import { statements as addressSpellings } from "./0031_address_spellings.ts"
import { statements as unknownVisitors } from "./0032_unknown_visitors.ts"
import { statements as listIndexes } from "./0033_list_indexes.ts"
import { statements as contents } from "./0034_contents.ts"
import { statements as users } from "./0035_users.ts"
import { statements as partitions } from "./0036_partitions.ts"
import { statements as tokens } from "./0037_tokens.ts"
import { statements as audit } from "./0038_audit.ts"
import { statements as contactSearch } from "./0039_contact_search.ts"
import { statements as signIn } from "./0040_sign_in.ts"
import { statements as companies } from "./0041_companies.ts"
import { statements as live } from "./0042_live.ts"
import { statements as people } from "./0043_people.ts"
import { statements as operation } from "./0044_operation.ts"
import { statements as stream } from "./0045_stream.ts"
import { statements as emailCounts } from "./0046_email_counts.ts"
import { statements as systemMail } from "./0047_system_mail.ts"
import { statements as transportSecurity } from "./0048_transport_security.ts"
import { statements as standing } from "./0049_standing.ts"
import { statements as shaping } from "./0050_shaping.ts"
import { statements as mailReports } from "./0051_mail_reports.ts"
import { statements as campaigns } from "./0052_campaigns.ts"
import { statements as relays } from "./0053_relays.ts"
import { statements as storeEvents } from "./0054_store_events.ts"
import { statements as runSteps } from "./0055_run_steps.ts"
import { statements as lanes } from "./0056_lanes.ts"
import { statements as relayMessages } from "./0057_relay_messages.ts"
import { statements as campaignChoices } from "./0058_campaign_choices.ts"
import { statements as images } from "./0059_images.ts"
import { statements as campaignLinks } from "./0060_campaign_links.ts"
import { statements as campaignResults } from "./0061_campaign_results.ts"
import { statements as sources } from "./0062_sources.ts"
import { statements as relayWatch } from "./0063_relay_watch.ts"
import { statements as listOrders } from "./0064_list_orders.ts"
import { statements as pageTexts } from "./0065_page_texts.ts"
import { statements as campaignRecipients } from "./0066_campaign_recipients.ts"
import { statements as campaignCounters } from "./0067_campaign_counters.ts"
import { statements as warmUp } from "./0068_warm_up.ts"
import { statements as attemptSources } from "./0069_attempt_sources.ts"
import { statements as listSources } from "./0070_list_sources.ts"
import { statements as flowSegments } from "./0071_flow_segments.ts"
import { statements as statedLimits } from "./0072_stated_limits.ts"
import { statements as listFilters } from "./0073_list_filters.ts"
import { statements as segmentSizes } from "./0074_segment_sizes.ts"
import { statements as requestedApprovals } from "./0075_requested_approvals.ts"
import { statements as earlyReports } from "./0076_early_reports.ts"
import { statements as campaignVisitors } from "./0077_campaign_visitors.ts"
import { statements as campaignQueues } from "./0078_campaign_queues.ts"
import { statements as heldLines } from "./0079_held_lines.ts"
import { statements as sharedEntries } from "./0080_shared_entries.ts"
import { statements as campaignTallies } from "./0081_campaign_tallies.ts"
import { statements as campaignEarnings } from "./0082_campaign_earnings.ts"
import { statements as orderLines } from "./0083_order_lines.ts"
import { statements as campaignParts } from "./0084_campaign_parts.ts"
import { statements as dailyShards } from "./0085_daily_shards.ts"
import { statements as templateVersions } from "./0086_template_versions.ts"
import { statements as complaintReporters } from "./0087_complaint_reporters.ts"
import { statements as slowStarts } from "./0088_slow_starts.ts"
import { statements as notDue } from "./0089_not_due.ts"
import { statements as orderNames } from "./0090_list_orders_by_name.ts"
import { statements as standingSources } from "./0091_standing_sources.ts"
import { statements as movedRecipients } from "./0092_moved_recipients.ts"
import { statements as campaignComparison } from "./0093_campaign_comparison.ts"
import { statements as campaignEmailCounts } from "./0094_campaign_email_counts.ts"
import { statements as subjectPeriods } from "./0095_subject_periods.ts"
import { statements as subjectPeriodsOnly } from "./0096_subject_periods_only.ts"
import { statements as segmentChanges } from "./0097_segment_changes.ts"
import { statements as contentHashes } from "./0098_content_hashes.ts"

/** The statements of each version, the first being version 1. */
export const migrations: ReadonlyArray<ReadonlyArray<string>> = [
  operations,
  audienceAndSending,
  jobs,
  fieldsAndTopics,
  segments,
  erasureAndTimeline,
  imports,
  contactUpdates,
  sending,
  secretCheck,
  webhooks,
  items,
  commerce,
  commerceIndexes,
  events,
  flows,
  dailyCounts,
  orderSearch,
  claims,
  orderSearchRanges,
  orderSearchStatuses,
  retentionTurns,
  queuedEmails,
  sealedSecrets,
  audienceChanges,
  inboxRendering,
  installationTokens,
  visits,
  conversions,
  reviewHolds,
  addressSpellings,
  unknownVisitors,
  listIndexes,
  contents,
  users,
  partitions,
  tokens,
  audit,
  contactSearch,
  signIn,
  companies,
  live,
  people,
  operation,
  stream,
  emailCounts,
  systemMail,
  transportSecurity,
  standing,
  shaping,
  mailReports,
  campaigns,
  relays,
  storeEvents,
  runSteps,
  lanes,
  relayMessages,
  campaignChoices,
  images,
  campaignLinks,
  campaignResults,
  sources,
  relayWatch,
  listOrders,
  pageTexts,
  campaignRecipients,
  campaignCounters,
  warmUp,
  attemptSources,
  listSources,
  flowSegments,
  statedLimits,
  listFilters,
  segmentSizes,
  requestedApprovals,
  earlyReports,
  campaignVisitors,
  campaignQueues,
  heldLines,
  sharedEntries,
  campaignTallies,
  campaignEarnings,
  orderLines,
  campaignParts,
  dailyShards,
  templateVersions,
  complaintReporters,
  slowStarts,
  notDue,
  orderNames,
  standingSources,
  movedRecipients,
  campaignComparison,
  campaignEmailCounts,
  subjectPeriods,
  subjectPeriodsOnly,
  segmentChanges,
  contentHashes
]
