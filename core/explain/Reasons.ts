/**
 * The catalogue of reasons: why a person did or did not get an email, each with its verdict, its sentence and what to do
 * next. The API, the command line and the documentation show these sentences.
 *
 * @module
 */
import type { RecipientReason } from "../model/Campaign.ts"
import type { DeliveryReason } from "../model/DeliveryStatus.ts"

/** What became of an email for a person. */
export const verdicts = ["Received", "OnItsWay", "NotSent", "NotReceived", "Unknown"] as const

/** What became of an email for a person. */
export type Outcome = (typeof verdicts)[number]

/** One entry of the catalogue. In its sentences, `{name}` stands for a value of the case. */
export interface Reason {
  readonly verdict: Outcome
  readonly sentence: string
  /** What to do next; null where there is nothing to do. */
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
    "The relay accepted the email and will report what becomes of it.",
    "Wait for the report of the relay."
  ),
  "explain.relayed": reason(
    "Unknown",
    "A relay accepted the email and never reports what becomes of it.",
    "Look in the log of the relay."
  ),
  "explain.bounced": reason(
    "NotReceived",
    "The recipient's server rejected the address permanently. It gets no more email.",
    "Ask the person for another address."
  ),
  "explain.failed": reason("NotReceived", "The email could not be delivered.", "Send it again."),
  "explain.suppressed": reason("NotSent", "The address is suppressed."),
  "explain.queued": reason("OnItsWay", "The email waits to be sent."),
  "explain.handing_off": reason("OnItsWay", "The email is being passed to the recipient's server."),
  "explain.not_in_audience": reason(
    "NotSent",
    "The person was never among the recipients.",
    "Check the address, or send the email to the person as well."
  ),
  "explain.erased": reason("Unknown", "The person was erased; nothing of their emails is kept."),
  "explain.expired": reason(
    "Unknown",
    "The recipients of this email are no longer kept: the account's retention has ended."
  ),
  "explain.consent_missing": reason(
    "NotSent",
    "The person's consent is {status}, which allows no marketing email.",
    "Ask the person to agree; no one else can."
  ),
  "explain.topic_off": reason(
    "NotSent",
    "The person has the email's topic turned off.",
    "Leave the choice to the person, who can turn it on in their preferences."
  ),
  "explain.flow_not_published": reason(
    "NotSent",
    "The flow is {status} and starts no runs.",
    "Publish the flow; it starts with the next event."
  ),
  "explain.event_not_recorded": reason(
    "NotSent",
    "The event {event}, which starts the flow, is not on the person's timeline.",
    "Check that your program reports the event, and for this person."
  ),
  "explain.not_called": reason(
    "NotSent",
    "No call has started the flow for this person.",
    "Check that your program calls the flow's trigger URL, and for this person."
  ),
  "explain.not_in_segment": reason(
    "NotSent",
    "The person has not {moved} the flow's segment since the flow was published.",
    "Look at the segment's rules and at the person; segments are evaluated seconds after a change."
  ),
  "explain.filter_not_matched": reason(
    "NotSent",
    "The event {event} happened, and the trigger's filter did not match: {rule}.",
    "Check the properties of the event, or change the filter."
  ),
  "explain.not_started": reason(
    "Unknown",
    "The event {event} matches the trigger, and there is no run: the flow was not published at that time, or retention deleted the run."
  ),
  "explain.already_in_run": reason(
    "NotSent",
    "The event {event} started nothing, since the person was already in a run of the flow.",
    "The next event after the run ends starts another one."
  ),
  "explain.stopped_by_event": reason("NotSent", "The event {event} ended the run before the email was sent."),
  "explain.run_stopped": reason("NotSent", "The run was stopped before the email was sent: {detail}."),
  "explain.run_failed": reason(
    "NotSent",
    "The run failed before the email was sent: {detail}.",
    "Look at the log of the run."
  ),
  "explain.waiting_in_flow": reason("OnItsWay", "The run waits in the step {step} until {until}."),
  "explain.no_email_on_path": reason("NotSent", "The run ended on a path without an email."),
  "explain.campaign_not_started": reason(
    "NotSent",
    "The campaign is {status} and has read no audience yet.",
    "Launch the campaign, or wait for its time."
  ),
  "explain.not_selected": reason(
    "NotSent",
    "The segments of the campaign did not select the person when it started.",
    "Check the rules of the segments; who enters them later gets nothing."
  ),
  "explain.campaign_paused": reason(
    "OnItsWay",
    "The person is a recipient, and the campaign is paused: {detail}.",
    "Resume or cancel the campaign."
  ),
  "explain.campaign_cancelled": reason("NotSent", "The campaign was cancelled before the person got it."),
  "explain.campaign_pending": reason(
    "OnItsWay",
    "The person is a recipient, and is decided on at {until} at the earliest."
  ),
  "explain.step_failed": reason(
    "NotSent",
    "The step {step} could not make the email: {detail}",
    "Mend the step's content and publish the flow again."
  )
} as const satisfies Readonly<Record<`explain.${string}`, Reason>>

const ofDeliveries: Readonly<Record<DeliveryReason, Reason>> = {
  "sending.gate_bounced": reason(
    "NotSent",
    "The address bounced before and is suppressed.",
    "If the address works again, take it off the suppression list."
  ),
  "sending.gate_complained": reason(
    "NotSent",
    "The person marked an earlier email as spam; the address is suppressed.",
    "Write to this person no more."
  ),
  "sending.gate_protected": reason(
    "NotSent",
    "The address is on the protective list.",
    "If it is there by mistake, take it off the suppression list."
  ),
  "sending.gate_consent": reason(
    "NotSent",
    "The person's consent no longer allowed the email, or they turned its topic off."
  ),
  "sending.no_verified_sender": reason(
    "OnItsWay",
    "The account has no verified sender yet, so the email waits.",
    "Add a sending domain, publish its DNS records and check it."
  ),
  "sending.scheduled": reason("OnItsWay", "The email's time has not come yet: {until}."),
  "sending.daily_cap": reason(
    "OnItsWay",
    "The account's daily limit is used up.",
    "Wait for the next day (UTC), or raise the setting dailySendLimit."
  ),
  "sending.retrying": reason(
    "OnItsWay",
    "The recipient's server rejected the email for now; another attempt is scheduled."
  ),
  "sending.tls_required": reason(
    "OnItsWay",
    "The recipient's server offers no encryption, and the account sends over encrypted connections alone.",
    "Wait until the server offers it, or turn the setting requireTls off."
  ),
  "sending.provider_held": reason(
    "OnItsWay",
    "The recipient's provider takes no mail from this service at the moment, so the email waits and is sent once it does.",
    "Nothing for you to do; the operator sees what the provider said."
  ),
  "sending.sender_held": reason(
    "OnItsWay",
    "The recipient's provider takes no mail from the sending domain at the moment, so the email waits.",
    "GET /manage/v1/accounts/{accountId}/notices shows what the provider said, and what to mend."
  ),
  "sending.relay_unavailable": reason(
    "OnItsWay",
    "None of the relays that the account's setting delivery names can be used, so the email waits.",
    "Correct the relay, or name another in the setting delivery."
  ),
  "sending.warming_up": reason(
    "OnItsWay",
    "The addresses that the account's marketing leaves from are new, and send a little more each day, so the email waits.",
    "Nothing for you to do; the operator sees the plan of each address."
  ),
  "sending.given_up": reason(
    "NotReceived",
    "The recipient's provider took no mail, and the operator gave the email up.",
    "Send the email again once the provider takes mail."
  ),
  "sending.refused": reason(
    "NotReceived",
    "The recipient's server rejected the message permanently.",
    "Mend what the server objects to, and send the email again."
  ),
  "sending.mailbox_full": reason(
    "NotReceived",
    "The recipient's mailbox is full.",
    "Send the email again later."
  ),
  "sending.retries_exhausted": reason(
    "NotReceived",
    "The recipient's server rejected every attempt for now, until none was left.",
    "Send the email again later."
  ),
  "sending.relay_suppressed": reason(
    "NotSent",
    "The provider that relays the account's email has the address on its own suppression list.",
    "If it is there by mistake, remove it at the provider."
  ),
  "sending.outcome_unknown": reason(
    "Unknown",
    "The connection broke after the last byte: the email may have arrived.",
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
    "Marketing email of the account waits, because too many of its emails bounced or were marked as spam.",
    "Look at the account's standing, and mend what it names."
  ),
  "sending.held_too_long": reason(
    "NotSent",
    "The email was held until it was too late to send it.",
    "Look at why: the account's standing, or a provider that takes no mail. Then send the email again."
  )
}

const ofSteps = {
  "automation.no_address": reason("NotSent", "The person has no address."),
  "automation.no_consent": reason(
    "NotSent",
    "The flow skipped the email, since the person's consent allows no marketing.",
    "Ask the person to agree; no one else can."
  ),
  "automation.topic_off": reason(
    "NotSent",
    "The flow skipped the email, since the person has its topic turned off.",
    "Leave the choice to the person, who can turn it on in their preferences."
  )
} as const satisfies Readonly<Record<`automation.${string}`, Reason>>

const ofRecipients = {
  "campaigns.no_address": reason("NotSent", "The person has no address."),
  "campaigns.duplicate_address": reason("NotSent", "Another person got the campaign at this address."),
  "campaigns.local_time_passed": reason(
    "NotSent",
    "The local time of the campaign had passed where the person is, and it skips people for whom it has."
  ),
  "campaigns.render_failed": reason(
    "NotSent",
    "The content could not be rendered for this person.",
    "Look at the campaign's preview for this person, and send it again to those for whom it did not render."
  ),
  "campaigns.window": reason(
    "OnItsWay",
    "The window of the campaign has not begun where the person is: {until}."
  ),
  "campaigns.test": reason("OnItsWay", "The campaign's test of variants is not decided yet."),
  "campaigns.pace": reason("OnItsWay", "The campaign is sent at a limited pace, and the person is not next."),
  "sending.gate_topic": reason(
    "NotSent",
    "The person has the email's topic turned off, or it is archived.",
    "Leave the choice to the person, who can turn it on in their preferences."
  ),
  "sending.held_out": reason("NotSent", "The person is in the group that gets none, for comparison."),
  "sending.gate_frequency": reason(
    "NotSent",
    "The person got as much marketing as the account's frequency caps allow.",
    "Look at the setting marketingCaps."
  ),
  "sending.quiet_hours": reason("OnItsWay", "The person's quiet hours last until {until}.")
} as const satisfies Readonly<Partial<Record<RecipientReason, Reason>>>

/** Every reason by its code. */
export const reasons = { ...explained, ...ofRecipients, ...ofDeliveries, ...ofSteps }

/** A code of the catalogue. */
export type ReasonCode = keyof typeof reasons

/** Whether a code is in the catalogue. */
export const isReason = (code: string): code is ReasonCode => Object.hasOwn(reasons, code)

/** A sentence with the values of the case in it. */
export const fill = (sentence: string, values: Readonly<Record<string, string>>): string =>
  sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
