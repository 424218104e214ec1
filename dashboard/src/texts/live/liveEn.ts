/**
 * The texts of the live view and of a webhook's notifications in English. They are loaded with their screens.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The texts. */
export const liveEn = {
  live: {
    topics: {
      emails: "Email",
      notifications: "Notification",
      requests: "Request",
      events: "Event",
      jobs: "Job"
    } as Names,
    topic: "Kind",
    change: "Change",
    about: "About",
    state: "State",
    time: "Time",
    label: "Live activity",
    states: {
      connecting: "Connecting",
      open: "Live",
      lost: "Reconnecting",
      refused: "Not connected",
      paused: "Paused"
    } as Names,
    pause: "Pause",
    resume: "Resume",
    held: (count: string) => `Show ${count} new`,
    clear: "Clear",
    missed: "Some activity was missed while the connection was lost. The lists show it.",
    empty: "Live activity appears here",
    emptyText:
      "Emails, API requests, events, webhook notifications and jobs, as they happen. Keep this open and send an email.",
    nothing: "No such activity since you opened this view.",
    received: "Received"
  },
  replaced: {
    action: "Replace",
    hint: "Adds the same webhook with a new secret, and deletes this one.",
    done: "Webhook replaced"
  },
  notification: {
    title: "Notification",
    open: "Show",
    state: "State",
    created: "Created",
    id: "ID",
    url: "Sent to",
    request: "Request",
    attempts: "Attempts",
    response: "Response",
    failures: {
      address_refused: "The address is not public",
      connection_lost: "The connection was lost",
      connection_refused: "The connection was refused",
      name_unavailable: "DNS did not answer",
      name_unknown: "The host name does not exist",
      redirect: "Redirected, which is not followed",
      timeout: "No response in time",
      unreachable: "The server cannot be reached"
    } as Names,
    stopped: (count: string, last: string) => `${count} failed deliveries in a row; the last one: ${last}`,
    failureKinds: { failed: "The request failed", tls: "No secure connection" } as Names,
    noResponse: "No body",
    gone: "The webhook was deleted.",
    none: "Not attempted yet.",
    resend: "Send again",
    resent: "Sent again",
    resendFailed: "Send failed ones again",
    resendFailedText: "Failed notifications are sent again with the same content and ID.",
    period: "Failed in",
    periods: {
      hour: "the last hour",
      day: "the last 24 hours",
      week: "the last 7 days",
      all: "any time",
      days: "days you choose"
    } as Names,
    failed: (shown: string, count: number) =>
      count === 0
        ? "None failed in this time."
        : count === 1
          ? "1 notification is sent again."
          : `${shown} notifications are sent again.`,
    stops: "If your program still fails, the webhook stops after 15 failures in a row.",
    started: "They are being sent again"
  }
}

/** The texts. */
export type LiveTexts = typeof liveEn
