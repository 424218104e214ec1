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
    label: "What happens",
    states: {
      connecting: "Connecting",
      open: "Live",
      lost: "Connecting again",
      refused: "Not connected",
      paused: "Paused"
    } as Names,
    pause: "Pause",
    resume: "Go on",
    held: (count: string) => `Show ${count} new`,
    clear: "Clear",
    missed: "Something was missed while the connection was lost. The lists of this account have it.",
    empty: "What happens appears here",
    emptyText:
      "Emails, calls, events, notifications of webhooks and jobs, as they happen. Leave this open and send an email.",
    nothing: "Nothing of this has happened since you opened this view.",
    received: "Received"
  },
  notification: {
    title: "Notification",
    open: "Show",
    state: "State",
    created: "Made",
    id: "Id",
    url: "Sent to",
    request: "Request",
    attempts: "Attempts",
    response: "Response",
    noResponse: "No body",
    gone: "The webhook was deleted.",
    none: "It was not attempted yet.",
    resend: "Send again",
    resent: "It is sent again",
    resendFailed: "Send failed ones again",
    resendFailedText: "Those that failed are sent again, with the same content and the same id.",
    period: "Failed in",
    periods: {
      hour: "the last hour",
      day: "the last 24 hours",
      week: "the last 7 days",
      all: "any time"
    } as Names,
    failed: (shown: string, count: number) =>
      count === 0
        ? "None failed in this time."
        : count === 1
          ? "1 notification is sent again."
          : `${shown} notifications are sent again.`,
    stops: "If your program still fails, 15 failures in a row stop the webhook.",
    started: "They are being sent again"
  }
}

/** The texts. */
export type LiveTexts = typeof liveEn
