/**
 * The texts of the dashboard in English. Each screen has its own part. The terms are those of the glossary.
 *
 * @module
 */

import { isolating } from "../lib/isolate.ts"
import { areasEn } from "./areasEn.ts"
import { installationEn } from "./installationEn.ts"
import { commerceEn } from "./commerceEn.ts"
import { companyEn } from "./companyEn.ts"
import { mailEn } from "./mailEn.ts"
import { personalEn } from "./personalEn.ts"
import { programsEn } from "./programsEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. Other languages have the same parts. */
export const en = isolating({
  product: "svc",
  common: {
    add: "Add",
    cancel: "Cancel",
    clear: "Clear",
    close: "Close",
    copied: "Copied",
    copy: "Copy",
    done: "Done",
    hide: "Hide",
    loading: "Loading",
    notFound: "Page not found",
    notFoundText:
      "There is nothing at this address. It may have been deleted, or your role has no access to it.",
    missing: (thing: string) => `${thing} not found`,
    missingText: "It may have been deleted, the link may be wrong, or your role has no access to it.",
    optional: "optional",
    reset: "Reset filters",
    retry: "Try again",
    save: "Save",
    saved: "Saved",
    search: "Search",
    show: "Show",
    showTable: "Show as table",
    typeName: (name: string) => `Type ${name} to confirm`,
    sortBy: (name: string) => `Sort by ${name}`,
    undo: "Undo",
    home: "Go to Home"
  },
  errors: {
    unreachable: "The service cannot be reached.",
    failed: "The service returned an error.",
    outdated: "What you see may be out of date.",
    kept: "What you entered is kept. Try again.",
    offline: "You are offline. What you see may be out of date until you are online again.",
    noRight: (right: string) => `Your role lacks the right ${right}.`,
    crashed: "Something went wrong on this screen",
    crashedText: "Nothing on other screens was lost. Try again, or go to Home.",
    newVersion: "A new version is ready",
    newVersionText: "Reload to use it. Changes that are not saved will be lost.",
    reload: "Reload"
  },
  list: {
    moreFilters: "More filters",
    more: "Show more",
    count: (shown: string, count: number) => `${shown} ${plural(count, "entry", "entries")}`,
    about: (shown: string) => `about ${shown} entries`,
    noMatch: "No results match these filters",
    selectAll: "Select all",
    noMatchText: "Change or reset the filters to see more."
  },
  views: { button: "View" },
  nav: {
    label: "Main",
    home: "Home",
    emails: "Emails",
    suppressions: "Suppressions",
    toSandbox: "Switch to the sandbox",
    noLiveAccess:
      "You have no access to the live account. An Owner or Admin of the company can give it to you.",
    campaigns: "Campaigns",
    profile: "Your profile",
    documentation: "Documentation",
    menu: "Menu",
    closeMenu: "Close menu",
    skip: "Skip to content",
    account: "Company and account",
    companies: "Companies",
    mode: "Account",
    live: "Live",
    sandbox: "Sandbox",
    sandboxText: "Sandbox: no mail leaves the service.",
    toLive: "Switch to live",
    user: "Your account",
    signOut: "Sign out",
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    language: "Language"
  },
  palette: {
    title: "Search and commands",
    placeholder: "Search people, emails, settings and actions",
    empty: "No results",
    searching: "Searching",
    screens: "Screens",
    actions: "Actions",
    found: "Results",
    settings: "Settings",
    newCampaign: "New campaign",
    newSegment: "New segment",
    newTemplate: "New template",
    kinds: {
      Contact: "Person",
      Email: "Email",
      Campaign: "Campaign",
      Flow: "Flow",
      Template: "Template",
      Segment: "Segment",
      Domain: "Domain",
      Webhook: "Webhook",
      ApiKey: "API key",
      Order: "Order",
      Item: "Item",
      Event: "Event",
      Import: "Import",
      Message: "Message",
      Notification: "Notification",
      Request: "Request",
      Run: "Run",
      Store: "Store",
      Version: "Version"
    } as Readonly<Record<string, string>>
  },
  shortcuts: {
    title: "Keyboard shortcuts",
    palette: "Search and commands",
    help: "This list",
    search: "Search in the list",
    go: (screen: string) => `Go to ${screen}`,
    rows: "Move between rows",
    open: "Open the row"
  },
  signIn: {
    title: "Sign in",
    again: "Sign in again",
    againText: "Your session has ended. Sign in to continue where you are.",
    email: "Email address",
    password: "Password",
    code: "Code",
    codeHint: "The six digits from your authenticator app, or a recovery code.",
    submit: "Sign in",
    forgotten: "Forgotten password",
    failed: "Address, password or code is wrong.",
    waits: (time: string) => `Too many attempts. Try again ${time}.`,
    confirm: "Confirm your identity",
    confirmText: "This action requires it. The confirmation is valid for 15 minutes.",
    confirmCode: "Code from your authenticator app",
    confirmFailed: "That did not match. Try again.",
    confirmSubmit: "Confirm",
    useCode: "Use a code",
    usePassword: "Use the password",
    usePasskey: "Use a passkey",
    passkeyFailed: "This passkey was not accepted. It may have been removed.",
    providerFailed: "The identity provider did not sign you in. Try again, or ask its administrator.",
    problems: {
      "users.provider_required": "Sign in with your company's identity provider.",
      "users.too_many_attempts": "Too many attempts. Wait a minute, then try again.",
      "common.not_found":
        "This identity provider was removed. Enter your address to see how you can sign in.",
      "common.unavailable": "The service is unavailable. Try again."
    } as Readonly<Record<string, string>>,
    withProvider: (name: string) => `Continue with ${name}`,
    goOn: "Continue",
    elsewhereText: "If you have signed in in another tab, continue here.",
    confirmElsewhere:
      "This action requires a sign-in within the last 15 minutes. Sign in again in another tab, then continue here."
  },
  forgotten: {
    title: "Forgotten password",
    text: "Enter your address. If it belongs to a user, we send it a link to choose a new password.",
    submit: "Send the link",
    sent: "If the address belongs to a user and this installation can send email, a link is on its way.",
    sentText: "The link is valid for one hour. If nothing arrives, ask an operator for one.",
    toSignIn: "Back to sign-in"
  },
  welcome: {
    title: "Welcome",
    titles: {
      FirstStart: "Set up your installation",
      Invitation: "Welcome",
      Reset: "Choose a new password"
    },
    texts: {
      FirstStart: "You become the first operator, and Owner of the first company.",
      Reset: "Your other sessions will be signed out."
    },
    invited: (company: string | null) =>
      company === null ? "Choose a password to sign in with." : `You were invited to ${company}.`,
    name: "Your name",
    password: "Password",
    passwordHint: "At least 12 characters. A few unrelated words are easy to remember and hard to guess.",
    submit: "Continue",
    withPasskey: "Use a passkey instead",
    invalid: "This link is no longer valid",
    invalidText: "It was already used or has expired. Ask for a new one, or sign in.",
    missing: "The link is incomplete. Copy the whole link and open it.",
    toSignIn: "Sign in"
  },
  device: {
    title: "Confirm a program",
    text: "A program such as the command line (svc login) shows a code. Confirm it only if you started the program yourself: it then acts with your rights.",
    code: "Code",
    codeHint: "Eight letters, as the program shows them.",
    confirm: "Confirm",
    done: "Confirmed. Return to the program: it is now signed in as you."
  },
  profile: {
    title: "Your profile",
    tabs: { person: "Profile", security: "Sign-in", sessions: "Sessions", tokens: "Tokens" },
    name: "Name",
    email: "Email address",
    emailHint: "You use it to sign in.",
    language: "Language",
    timeZone: "Time zone",
    timeZoneHint: "Times are shown in this time zone.",
    browser: (value: string) => `Browser default (${value})`,
    password: "Password",
    passwordText: "At least 12 characters. Changing it ends your other sessions.",
    newPassword: "New password",
    changePassword: "Change password",
    passwordChanged: "Password changed",
    codes: "Authenticator app",
    codesOn: "Signing in with your password also requires a code from your app.",
    codesOff: "Also require a code from an app on your phone when you sign in with your password.",
    codesRequired: "Set up a second factor to continue.",
    on: "On",
    off: "Off",
    turnOn: "Set up",
    turnOff: "Turn off",
    turnOffText: (others: number) =>
      `You then sign in with your password only. ${others} other ${plural(others, "session is", "sessions are")} signed out.`,
    turnedOff: "Authenticator app turned off",
    scan: "Scan this code with your authenticator app, then enter the six digits it shows.",
    secret: "Or enter this key manually",
    code: "Code",
    confirm: "Confirm",
    recovery: "Recovery codes",
    recoveryLeft: (count: number) => `${count} ${plural(count, "code", "codes")} left`,
    recoveryText:
      "Each code signs you in once if you lose your phone. Keep the codes where you keep your passwords.",
    recoveryFew: "Few recovery codes are left. Generate new ones before you need them.",
    recoveryRenew: "Generate new codes",
    recoveryRenewText: (left: number) =>
      `Your ${left} unused ${plural(left, "code stops", "codes stop")} working.`,
    sessionsText: "Browsers where you are signed in.",
    current: "This browser",
    unknownBrowser: "Unknown browser",
    lastUsed: "Last used",
    since: "Signed in",
    end: "End",
    ended: "Session ended",
    endOthers: "Sign out everywhere",
    endOthersText: (count: number) =>
      count === 1 ? "Ends this session, your only one." : `Ends your ${count} sessions, including this one.`
  },
  homeScreen: {
    title: "Home",
    begin: "Get started",
    beginText: "Complete these steps to start sending.",
    firstEmail: "Send the first email",
    firstEmailText: "Create an API key and run the command shown with it.",
    firstEmailHeld: "Live email needs a verified domain. The sandbox works right away.",
    tryInSandbox: "Try it in the sandbox",
    showInbox: "Show it in the inbox",
    createKey: "Create a key",
    keyName: "First steps",
    keyOnce: "The key is shown only once.",
    domain: "Add a sending domain",
    domainText: "Live email is sent only from verified domains.",
    colleague: "Invite a colleague",
    colleagueText: "Each person has their own sign-in and role.",
    webhook: "Receive a webhook",
    webhookText: "Get notified of deliveries, bounces, complaints, opens and clicks.",
    people: "Add people",
    peopleText: "Through the API, from a file, or from a connected store.",
    goThere: "Start",
    todayCount: (shown: string) => `${shown} today`,
    last30: "Last 30 days",
    figures: {
      sent: "Sent",
      delivered: "Delivered",
      bounced: "Bounced",
      complained: "Complaints",
      openedByPeople: "Opened by people",
      openedByMachines: "Opened by machines",
      clicked: "Clicked",
      conversions: "Conversions",
      events: "Events",
      runs: "Flow runs"
    },
    chart: "Emails by day",
    byDay: "Day",
    attention: "Needs attention",
    allWell: "Nothing needs attention.",
    look: "View",
    domainPending: (domain: string) =>
      `${domain} is waiting for its DNS records. No email is sent from it yet.`,
    webhookFailing: (url: string, shown: string, count: number) =>
      `The webhook ${url} has failed ${shown} ${plural(count, "time", "times")} in a row. It will be stopped if this continues.`,
    held: (shown: string, count: number) =>
      `${shown} ${plural(count, "email waits", "emails wait")} for review: release or refuse ${plural(count, "it", "them")}.`,
    retried: (shown: string, count: number) =>
      `${shown} ${plural(count, "email was", "emails were")} deferred by recipients' servers and will be retried automatically.`,
    failedEvents: (shown: string, count: number) =>
      `${shown} ${plural(count, "event", "events")} since yesterday could not be processed.`,
    nearLimit: (name: string, used: string, limit: string) => `${name}: ${used} of ${limit} used.`,
    buried: (shown: string, count: number) =>
      `${shown} ${plural(count, "job", "jobs")} failed repeatedly: retry or drop ${plural(count, "it", "them")}.`,
    domainFailing: (domain: string) => `${domain} is no longer verified. Email from it is not sent.`,
    webhookStopped: (url: string) => `The webhook ${url} was stopped after repeated failures.`,
    approvalRequested: (name: string, by: string | null) =>
      `The campaign ${name} is waiting for approval${by === null ? "" : `, requested by ${by}`}.`,
    campaignPaused: (name: string) => `The campaign ${name} is paused.`,
    campaignDeciding: (name: string) =>
      `The A/B test of the campaign ${name} has ended. Choose the variant to send to the rest of its audience.`,
    campaignSent: (name: string, shown: string, count: number) =>
      `The campaign ${name} was sent to ${shown} ${plural(count, "person", "people")}.`,
    campaignUnsubscribed: (name: string, shown: string) =>
      `${shown} people unsubscribed because of the campaign ${name}: 2 % or more of those who received it.`,
    standingHeld: "Marketing email of this account is held because of its standing.",
    standingNotice: "A bounce or complaint rate of this account has reached a threshold.",
    heldLanes: (shown: string, count: number) =>
      `Mail to ${shown} ${plural(count, "provider or server", "providers or servers")} is held.`,
    keyExpires: (name: string, time: string) => `The key ${name} expires ${time}.`,
    keyUnused: (name: string) => `The key ${name} has not been used for 90 days.`,
    changes: "Recent changes",
    noChanges: "Changes made by people and programs appear here.",
    by: (name: string) => `by ${name}`
  },
  emails: {
    title: "Emails",
    search: "Recipient address",
    guide: "Send an email",
    email: "Email",
    to: "To",
    subject: "Subject",
    noSubject: "No subject",
    status: "Status",
    sent: "Time",
    more: (count: number) => `and ${count} more`,
    empty: "Emails appear here as soon as they are submitted",
    emptyText: "Send one through the API, by SMTP, or from a flow or campaign.",
    statuses: {
      Queued: "Queued",
      HandingOff: "Sending",
      Accepted: "Accepted",
      Sent: "Sent",
      Delivered: "Delivered",
      Bounced: "Bounced",
      Complained: "Complained",
      Failed: "Failed",
      Suppressed: "Suppressed",
      Cancelled: "Cancelled",
      PendingReview: "In review",
      Unknown: "Unknown",
      Mixed: "Mixed"
    } as Readonly<Record<string, string>>,
    recipients: "Recipients",
    reasons: {
      "sending.gate_bounced":
        "Suppressed: the address bounced before. Lift the suppression if it works again.",
      "sending.gate_complained": "Suppressed: the recipient complained about an earlier email.",
      "sending.gate_protected": "Suppressed: the address is on the account's protective list.",
      "sending.gate_consent": "Not sent: no consent to marketing email at this address.",
      "sending.no_verified_sender": "Waiting for a verified sending domain.",
      "sending.scheduled": "Waiting for its scheduled time.",
      "sending.daily_cap": "Waiting until tomorrow: the account's daily limit is reached."
    } as Readonly<Record<string, string>>,
    details: "Details",
    id: "ID",
    from: "From",
    template: "Template",
    tags: "Tags",
    metadata: "Metadata",
    scheduled: "Scheduled for",
    submitted: "Submitted",
    attempt: (server: string) => `Delivery attempt: ${server}`,
    took: (milliseconds: string) => `${milliseconds} ms`,
    opened: "Opened",
    clicked: "Clicked",
    cancel: "Cancel email",
    cancelTitle: "Cancel this email",
    cancelText: (count: number) =>
      `${count} ${plural(count, "recipient", "recipients")} will not receive it. Copies already sent are not affected.`,
    cancelled: "Email cancelled"
  },
  suppressions: {
    title: "Suppressions",
    text: "Addresses that receive no email from this account.",
    search: "Address",
    address: "Address",
    kind: "Reason",
    kinds: { Bounced: "Bounced", Complained: "Complained", Protected: "Protected" } as Readonly<
      Record<string, string>
    >,
    source: "Added by",
    sources: { Report: "Bounce or complaint", Ui: "A person", Import: "An import" } as Readonly<
      Record<string, string>
    >,
    since: "Since",
    empty: "No address is suppressed",
    emptyText: "Addresses that bounce or complain are added automatically.",
    add: "Add an address",
    addText: "No email is sent to it from now on, whatever its source.",
    added: (address: string) => `${address} is suppressed`,
    lift: "Lift",
    lifted: (address: string) => `${address} can receive email again`
  },
  ...areasEn,
  ...installationEn,
  ...commerceEn,
  ...companyEn,
  ...mailEn,
  ...personalEn,
  ...programsEn,
  parts: { title: "Parts" }
})

/** The shape of the texts of every language. */
export type Texts = typeof en
