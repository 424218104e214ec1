/**
 * The catalogue of reasons why a person did or did not get an email, each with its verdict, its sentence and what to do next. The
 * API, the command line and the documentation show these sentences.
 *
 * @module
 */
import type { RecipientReason } from "../model/Campaign.ts"
import type { DeliveryReason } from "../model/DeliveryStatus.ts"

/** The outcomes of an email for a person. */
export const verdicts = ["Received", "OnItsWay", "NotSent", "NotReceived", "Unknown"] as const

/** The outcome of an email for a person. */
export type Outcome = (typeof verdicts)[number]

/** An entry of the catalogue. In its sentences, `{name}` stands for a value. */
export interface Reason {
  readonly verdict: Outcome
  readonly sentence: string
  /** What to do next; null if nothing can be done. */
  readonly next: string | null
}

const reason = (verdict: Outcome, sentence: string, next: string | null = null): Reason => ({
  verdict,
  sentence,
  next
})

const explained = {
  "explain.delivered": reason(
    "Received",
    "The recipient's server accepted the email. What its filters did with it afterwards cannot be known.",
    "If the person does not find it, ask them to look in their spam folder."
  ),
  "explain.accepted": reason(
    "Received",
    "The relay accepted the email and will report the result.",
    "Wait for the relay's report."
  ),
  "explain.relayed": reason(
    "Unknown",
    "A relay accepted the email. It does not report results.",
    "Check the relay's log."
  ),
  "explain.bounced": reason(
    "NotReceived",
    "The recipient's server rejected the address permanently. The address is suppressed.",
    "Ask the person for another address."
  ),
  "explain.failed": reason("NotReceived", "The email could not be delivered.", "Send it again."),
  "explain.suppressed": reason("NotSent", "The address is suppressed."),
  "explain.queued": reason("OnItsWay", "The email is waiting to be sent."),
  "explain.handing_off": reason("OnItsWay", "The email is being passed to the recipient's server."),
  "explain.not_in_audience": reason(
    "NotSent",
    "The person was never among the recipients.",
    "Check the address, or send the email to the person as well."
  ),
  "explain.erased": reason("Unknown", "The person was erased, and their emails with them."),
  "explain.expired": reason(
    "Unknown",
    "The recipients of this email are no longer kept: the account's retention has ended."
  ),
  "explain.consent_missing": reason(
    "NotSent",
    "The person's consent is {status}, which does not allow marketing email.",
    "Only the person can consent to marketing email."
  ),
  "explain.topic_off": reason(
    "NotSent",
    "The person has the email's topic turned off.",
    "Only the person can turn it on, in their preferences."
  ),
  "explain.address_left": reason("NotSent", "The person has another address now."),
  "explain.flow_not_published": reason(
    "NotSent",
    "The flow is {status} and starts no runs.",
    "Publish the flow. It starts on the next event."
  ),
  "explain.event_not_recorded": reason(
    "NotSent",
    "The event {event}, which starts the flow, is not on the person's timeline.",
    "Check that your program sends the event for this person."
  ),
  "explain.not_called": reason(
    "NotSent",
    "No call has started the flow for this person.",
    "Check that your program calls the flow's trigger URL for this person."
  ),
  "explain.not_in_segment": reason(
    "NotSent",
    "The person has not {moved} the flow's segment since the flow was published.",
    "Check the segment's rules and the person's data. Segments are evaluated seconds after a change."
  ),
  "explain.filter_not_matched": reason(
    "NotSent",
    "The event {event} occurred, but the trigger's filter did not match: {rule}.",
    "Check the properties of the event, or change the filter."
  ),
  "explain.not_started": reason(
    "Unknown",
    "The event {event} matches the trigger, but there is no run: the flow was not published at that time, or retention deleted the run."
  ),
  "explain.already_in_run": reason(
    "NotSent",
    "The event {event} started no run, because the person was already in a run of the flow.",
    "The next event after the run ends starts a new run."
  ),
  "explain.stopped_by_event": reason("NotSent", "The event {event} ended the run before the email was sent."),
  "explain.run_stopped": reason("NotSent", "The run was stopped before the email was sent: {detail}."),
  "explain.run_failed": reason(
    "NotSent",
    "The run failed before the email was sent: {detail}.",
    "Check the log of the run."
  ),
  "explain.waiting_in_flow": reason("OnItsWay", "The run is waiting in the step {step} until {until}."),
  "explain.no_email_on_path": reason("NotSent", "The run ended on a path without an email."),
  "explain.campaign_not_started": reason(
    "NotSent",
    "The campaign is {status}, and its audience has not been determined yet.",
    "Launch the campaign, or wait for its scheduled time."
  ),
  "explain.not_selected": reason(
    "NotSent",
    "The segments of the campaign did not select the person when it started.",
    "Check the rules of the segments. People who enter them later do not receive the campaign."
  ),
  "explain.campaign_paused": reason(
    "OnItsWay",
    "The person is a recipient, but the campaign is paused: {detail}.",
    "Resume or cancel the campaign."
  ),
  "explain.campaign_cancelled": reason(
    "NotSent",
    "The campaign was cancelled before the email to this person was sent."
  ),
  "explain.campaign_pending": reason(
    "OnItsWay",
    "The person is a recipient. Their email is due at {until} at the earliest."
  ),
  "explain.step_failed": reason(
    "NotSent",
    "The step {step} could not render the email: {detail}",
    "Fix the step's content and publish the flow again."
  )
} as const satisfies Readonly<Record<`explain.${string}`, Reason>>

const ofDeliveries: Readonly<Record<DeliveryReason, Reason>> = {
  "sending.gate_bounced": reason(
    "NotSent",
    "The address bounced before and is suppressed.",
    "If the address works again, remove it from the suppression list."
  ),
  "sending.gate_complained": reason(
    "NotSent",
    "The person marked an earlier email as spam; the address is suppressed.",
    "Do not write to this person again."
  ),
  "sending.gate_protected": reason(
    "NotSent",
    "The address is on the protective list.",
    "If it is there by mistake, remove it from the suppression list."
  ),
  "sending.gate_consent": reason(
    "NotSent",
    "The person's consent no longer allowed the email, they turned its topic off, or they left its address."
  ),
  "sending.no_verified_sender": reason(
    "OnItsWay",
    "The email is waiting because the account has no verified sender yet.",
    "Add a sending domain, publish its DNS records and check it."
  ),
  "sending.scheduled": reason("OnItsWay", "The email is scheduled for {until}."),
  "sending.daily_cap": reason(
    "OnItsWay",
    "The account's daily limit is used up.",
    "Wait for the next day (UTC), or raise the setting dailySendLimit."
  ),
  "sending.retrying": reason(
    "OnItsWay",
    "The recipient's server rejected the email temporarily. Another attempt is scheduled."
  ),
  "sending.tls_required": reason(
    "OnItsWay",
    "The recipient's server offers no encryption, and the account requires it.",
    "Wait until the server offers it, or turn the setting requireTls off."
  ),
  "sending.provider_held": reason(
    "OnItsWay",
    "The recipient's provider is not accepting email from this service at the moment. The email is sent as soon as it does.",
    "You do not need to do anything. The operator sees the provider's reply."
  ),
  "sending.sender_held": reason(
    "OnItsWay",
    "The email is waiting because the recipient's provider is not accepting email from the sending domain at the moment.",
    "GET /manage/v1/accounts/{accountId}/notices shows the provider's reply and what to fix."
  ),
  "sending.relay_unavailable": reason(
    "OnItsWay",
    "The email is waiting because none of the relays in the account's setting delivery can be used.",
    "Fix the relay, or add another to the setting delivery."
  ),
  "sending.warming_up": reason(
    "OnItsWay",
    "The email is waiting because the sending addresses for marketing are warming up: their limit rises each day.",
    "You do not need to do anything. The operator sees the plan of each address."
  ),
  "sending.given_up": reason(
    "NotReceived",
    "The recipient's provider did not accept email, and the operator ended the delivery.",
    "Send the email again once the provider accepts email."
  ),
  "sending.refused": reason(
    "NotReceived",
    "The recipient's server rejected the message permanently.",
    "Fix the cause that the server names, and send the email again."
  ),
  "sending.mailbox_full": reason(
    "NotReceived",
    "The recipient's mailbox is full.",
    "Send the email again later."
  ),
  "sending.retries_exhausted": reason(
    "NotReceived",
    "The recipient's server rejected every attempt temporarily, until none was left.",
    "Send the email again later."
  ),
  "sending.relay_suppressed": reason(
    "NotSent",
    "The address is on the relay provider's own suppression list.",
    "If it is there by mistake, remove it at the provider."
  ),
  "sending.outcome_unknown": reason(
    "Unknown",
    "The connection broke before the server confirmed the email, so it may have arrived.",
    "Ask the person before you send it again."
  ),
  "sending.campaign_paused": reason(
    "OnItsWay",
    "The campaign of the email is paused.",
    "Resume or cancel the campaign."
  ),
  "sending.cancelled": reason("NotSent", "The email was cancelled before it was sent.", "Send it again."),
  "sending.in_review": reason("OnItsWay", "The email is held for review.", "Release or refuse it."),
  "sending.review_refused": reason("NotSent", "The email was refused in review."),
  "sending.standing_held": reason(
    "OnItsWay",
    "Marketing email of the account is held because too many of its emails bounced or were marked as spam.",
    "Check the account's standing and fix the causes it names."
  ),
  "sending.held_too_long": reason(
    "NotSent",
    "The email was held until it was too late to send it.",
    "Check the account's standing and its notices for the cause. Then send the email again."
  )
}

const ofSteps = {
  "automation.no_address": reason("NotSent", "The person has no address."),
  "automation.no_consent": reason(
    "NotSent",
    "The flow skipped the email because the person's consent does not allow marketing.",
    "Only the person can consent to marketing email."
  ),
  "automation.topic_off": reason(
    "NotSent",
    "The flow skipped the email because the person has its topic turned off.",
    "Only the person can turn it on, in their preferences."
  )
} as const satisfies Readonly<Record<`automation.${string}`, Reason>>

const ofRecipients = {
  "campaigns.no_address": reason("NotSent", "The person has no address."),
  "campaigns.duplicate_address": reason(
    "NotSent",
    "Another contact with this address received the campaign."
  ),
  "campaigns.local_time_passed": reason(
    "NotSent",
    "The campaign's local time had already passed in the person's time zone."
  ),
  "campaigns.render_failed": reason(
    "NotSent",
    "The content could not be rendered for this person.",
    "Check the campaign's preview for this person, then try again."
  ),
  "campaigns.window": reason(
    "OnItsWay",
    "The campaign's sending hours in the person's time zone begin at {until}."
  ),
  "campaigns.test": reason("OnItsWay", "The campaign's A/B test is not decided yet."),
  "campaigns.pace": reason(
    "OnItsWay",
    "The campaign has a pace limit, and this person's email is not due yet."
  ),
  "sending.gate_topic": reason(
    "NotSent",
    "The person has the email's topic turned off, or it is archived.",
    "Only the person can turn it on, in their preferences."
  ),
  "sending.held_out": reason("NotSent", "The person is in the holdout group."),
  "sending.gate_frequency": reason(
    "NotSent",
    "The person has reached a frequency cap of the account.",
    "Check the setting marketingCaps."
  ),
  "sending.quiet_hours": reason("OnItsWay", "The person's quiet hours last until {until}.")
} as const satisfies Readonly<Partial<Record<RecipientReason, Reason>>>

/** Every reason by its code. */
export const reasons = { ...explained, ...ofRecipients, ...ofDeliveries, ...ofSteps }

/** A code of the catalogue. */
export type ReasonCode = keyof typeof reasons

/** Whether a code is in the catalogue. */
export const isReason = (code: string): code is ReasonCode => Object.hasOwn(reasons, code)

/** A sentence with its values filled in. */
export const fill = (sentence: string, values: Readonly<Record<string, string>>): string =>
  sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
