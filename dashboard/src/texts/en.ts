/**
 * The texts of the dashboard in English. Each screen has a part of its own; words are those of the glossary.
 *
 * @module
 */

import { areasEn } from "./areasEn.ts"
import { installationEn } from "./installationEn.ts"
import { commerceEn } from "./commerceEn.ts"
import { companyEn } from "./companyEn.ts"
import { mailEn } from "./mailEn.ts"
import { personalEn } from "./personalEn.ts"
import { programsEn } from "./programsEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. Other languages have the same parts. */
export const en = {
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
    notFoundText: "Nothing has this address. It may have been deleted, or your role does not show it.",
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
    offline: "The service cannot be reached. What you see may be out of date.",
    failed: "The service could not answer. What you see may be out of date.",
    noRight: (right: string) => `Your role lacks the right ${right}.`,
    crashed: "This screen stopped with an error",
    crashedText: "What you entered on other screens is safe. Try again, or go to Home.",
    newVersion: "A new version is ready",
    newVersionText: "Reload to use it. What you have not saved is lost then.",
    reload: "Reload"
  },
  list: {
    more: "Show more",
    count: (shown: string, count: number) => `${shown} ${plural(count, "entry", "entries")}`,
    about: (shown: string) => `about ${shown} entries`,
    noMatch: "No entry matches these filters",
    selectAll: "Select all",
    noMatchText: "Change or reset the filters to see more."
  },
  views: {
    button: "View",
    save: "Save this view",
    saveText: "Filters, search, order and columns, under a name.",
    name: "Name",
    share: "Share it",
    shareHint: "Everyone who may see the list sees the view.",
    shared: "Shared",
    saved: (name: string) => `${name} was saved`,
    delete: (name: string) => `Delete ${name}`,
    deleted: (name: string) => `${name} was deleted`
  },
  nav: {
    label: "Main",
    home: "Home",
    emails: "Emails",
    suppressions: "Suppressions",
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
    themes: { system: "As the system", light: "Light", dark: "Dark" },
    language: "Language"
  },
  palette: {
    title: "Search and commands",
    placeholder: "Search people, emails, screens and actions",
    empty: "Nothing found",
    searching: "Searching",
    screens: "Screens",
    actions: "Actions",
    found: "Found",
    kinds: {
      Contact: "Person",
      Email: "Email",
      Flow: "Flow",
      Template: "Template",
      Segment: "Segment",
      Domain: "Domain",
      Webhook: "Webhook",
      ApiKey: "API key",
      Order: "Order",
      Item: "Item",
      Event: "Event"
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
    codeHint: "Six digits of your authenticator app, or a recovery code.",
    submit: "Sign in",
    forgotten: "Forgotten password",
    failed: "Address, password or code is wrong.",
    waits: (time: string) => `Too many attempts. Try again ${time}.`,
    confirm: "Confirm that it is you",
    confirmText: "This action needs proof of the last 15 minutes that it is you.",
    confirmCode: "Code of your authenticator app",
    confirmFailed: "This is not right.",
    confirmSubmit: "Confirm",
    useCode: "Use a code",
    usePassword: "Use the password",
    usePasskey: "Use a passkey",
    passkeyFailed: "This passkey does not sign you in. It may have been removed.",
    providerFailed: "The identity provider did not sign you in. Try again, or ask whoever runs it.",
    problems: {
      "users.provider_required": "Sign in at your company's identity provider.",
      "users.too_many_attempts": "Too many attempts. Wait a minute, then try again.",
      "common.not_found":
        "This identity provider was removed. Enter your address to see how you can sign in.",
      "common.unavailable": "The service could not answer. Try again."
    } as Readonly<Record<string, string>>,
    withProvider: (name: string) => `Continue with ${name}`,
    goOn: "Continue",
    elsewhereText: "Signed in in another tab? Continue here.",
    confirmElsewhere:
      "This action needs a sign-in of the last 15 minutes. Sign in again in another tab, then continue here."
  },
  forgotten: {
    title: "Forgotten password",
    text: "Enter your address. If it belongs to a user, a link to choose a new password is sent to it.",
    submit: "Send the link",
    sent: "Thank you. If the address belongs to a user and this installation sends mail, it sends a link.",
    sentText: "The link works for one hour. If nothing arrives, ask an operator for one.",
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
      Reset: "Your other sessions end when you choose it."
    },
    invited: (company: string | null) =>
      company === null ? "Choose a password to sign in with." : `You were invited to ${company}.`,
    name: "Your name",
    password: "Password",
    passwordHint: "At least 12 characters. A few unrelated words are easy to remember and hard to guess.",
    submit: "Continue",
    withPasskey: "Use a passkey instead",
    invalid: "This link does not work any more",
    invalidText: "It was used, or is too old. Ask for a new one, or sign in.",
    missing: "The address lacks the link's token. Open the whole link.",
    toSignIn: "Sign in"
  },
  device: {
    title: "Confirm a program",
    text: "A program such as `svc login` shows a code. Confirm it only if you started the program yourself: it may then do what you may.",
    code: "Code",
    codeHint: "Eight letters, as the program shows them.",
    confirm: "Confirm",
    done: "Confirmed. Go back to the program: it is signed in as you."
  },
  profile: {
    title: "Your profile",
    tabs: { person: "Profile", security: "Sign-in", sessions: "Sessions", tokens: "Tokens" },
    name: "Name",
    email: "Email address",
    emailHint: "You sign in with it.",
    language: "Language",
    timeZone: "Time zone",
    timeZoneHint: "Times are shown in it.",
    browser: (value: string) => `As the browser (${value})`,
    password: "Password",
    passwordText: "At least 12 characters. Changing it ends your other sessions.",
    newPassword: "New password",
    changePassword: "Change password",
    passwordChanged: "Password changed",
    codes: "Authenticator app",
    codesOn: "A code of your app is asked for with the password.",
    codesOff: "Ask for a code of an app on your phone with the password.",
    codesRequired: "You need a second factor before you can go on.",
    on: "On",
    off: "Off",
    turnOn: "Set up",
    turnOff: "Turn off",
    turnOffText: "The password alone signs you in then. Your other sessions end.",
    turnedOff: "Authenticator app turned off",
    scan: "Scan this code with your authenticator app, then enter the six digits it shows.",
    secret: "Or enter this key by hand",
    code: "Code",
    confirm: "Confirm",
    recovery: "Recovery codes",
    recoveryLeft: (count: number) => `${count} ${plural(count, "code", "codes")} left`,
    recoveryText: "Each signs you in once if you lose your phone. Keep them where you keep passwords.",
    recoveryFew: "Few recovery codes are left. Make new ones before you need them.",
    recoveryRenew: "Make new codes",
    recoveryRenewText: "The codes you have stop working.",
    sessionsText: "Browsers in which you are signed in.",
    current: "This browser",
    unknownBrowser: "Unknown browser",
    lastUsed: "Last used",
    since: "Signed in",
    end: "End",
    ended: "Session ended",
    endOthers: "Sign out everywhere",
    endOthersText: "Ends every session, this one too."
  },
  homeScreen: {
    title: "Home",
    begin: "Get started",
    beginText: "Each item is ticked once it is done.",
    firstEmail: "Send the first email",
    firstEmailText: "Create a key and run the line it puts in.",
    firstEmailHeld: "Live mail needs a verified domain. In the sandbox it works at once.",
    tryInSandbox: "Try it in the sandbox",
    createKey: "Create a key",
    keyName: "First steps",
    keyOnce: "The key is shown this once.",
    domain: "Add a sending domain",
    domainText: "Live mail leaves once a domain of yours is verified.",
    colleague: "Invite a colleague",
    colleagueText: "Each person signs in as themselves, with a role of their own.",
    webhook: "Receive a webhook",
    webhookText: "Your program hears what becomes of each email.",
    people: "Add people",
    peopleText: "By the API, from a file, or from a shop.",
    goThere: "Go there",
    todayCount: (shown: string) => `${shown} today`,
    last30: "Last 30 days",
    figures: {
      sent: "Sent",
      delivered: "Delivered",
      bounced: "Bounced",
      openedByPeople: "Opened by people",
      openedByMachines: "Opened by machines",
      clicked: "Clicked",
      events: "Events",
      newContacts: "New contacts",
      runs: "Flow runs"
    },
    chart: "Emails by day",
    byDay: "Day",
    attention: "Needs attention",
    allWell: "Nothing needs attention.",
    look: "Look",
    domainPending: (domain: string) => `${domain} waits for its DNS records: no mail leaves from it yet.`,
    webhookFailing: (url: string, shown: string, count: number) =>
      `The webhook ${url} has failed ${shown} ${plural(count, "time", "times")} in a row. It stops if that goes on.`,
    held: (shown: string, count: number) =>
      `${shown} ${plural(count, "email waits", "emails wait")} for review: release or refuse ${plural(count, "it", "them")}.`,
    retried: (shown: string, count: number) =>
      `${shown} ${plural(count, "email is", "emails are")} rejected for now by the recipients' servers, and tried again by ${plural(count, "itself", "themselves")}.`,
    failedEvents: (shown: string, count: number) =>
      `${shown} ${plural(count, "event", "events")} since yesterday could not be processed.`,
    nearLimit: (name: string, used: string, limit: string) => `${name}: ${used} of ${limit} are used.`,
    alert: (name: string, summary: string) => `${name}: ${summary}`,
    buried: (shown: string, count: number) =>
      `${shown} ${plural(count, "job was", "jobs were")} given up after repeated failures: retry or drop ${plural(count, "it", "them")}.`,
    domainFailing: (domain: string) => `${domain} is not verified: its mail does not leave.`,
    webhookStopped: (url: string) => `The webhook ${url} has stopped after repeated failures.`,
    approvalRequested: (name: string, by: string | null) =>
      `The campaign ${name} waits for approval${by === null ? "" : `, which ${by} requested`}.`,
    campaignPaused: (name: string) => `The campaign ${name} is paused.`,
    standingHeld: "The account's marketing is held, for its standing.",
    standingNotice: "A rate of the account's standing has reached a threshold.",
    heldLanes: (shown: string, count: number) =>
      `Mail to ${shown} ${plural(count, "provider or server", "providers or servers")} is held.`,
    keyExpires: (name: string, time: string) => `The key ${name} expires ${time}.`,
    keyUnused: (name: string) => `The key ${name} was not used for 90 days.`,
    changes: "Latest changes",
    noChanges: "Changes of people and programs appear here.",
    by: (name: string) => `by ${name}`
  },
  emails: {
    title: "Emails",
    search: "Address of a recipient",
    guide: "Send an email",
    email: "Email",
    to: "To",
    subject: "Subject",
    noSubject: "No subject",
    status: "Status",
    sent: "Time",
    more: (count: number) => `and ${count} more`,
    empty: "Emails appear here as soon as one is submitted",
    emptyText: "Send one by the API, by SMTP or from a flow.",
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
      "sending.gate_protected": "Suppressed: the address is on the account's list.",
      "sending.gate_consent": "Not sent: the contact has not agreed to marketing email.",
      "sending.no_verified_sender": "Waits until a sending domain is verified.",
      "sending.scheduled": "Waits for its time.",
      "sending.daily_cap": "Waits until tomorrow: the account's daily limit is reached."
    } as Readonly<Record<string, string>>,
    details: "Details",
    id: "Id",
    from: "From",
    template: "Template",
    tags: "Tags",
    metadata: "Metadata",
    scheduled: "Scheduled for",
    submitted: "Submitted",
    attempt: (server: string) => `Attempt at ${server}`,
    took: (milliseconds: string) => `${milliseconds} ms`,
    opened: "Opened",
    clicked: "Clicked",
    cancel: "Cancel email",
    cancelTitle: "Cancel this email",
    cancelText: (count: number) =>
      `Stops ${count} ${plural(count, "recipient", "recipients")} from receiving it. What was sent stays sent.`,
    cancelled: "Email cancelled"
  },
  suppressions: {
    title: "Suppressions",
    text: "Addresses that receive no mail of this account.",
    search: "Address",
    address: "Address",
    kind: "Reason",
    kinds: { Bounced: "Bounced", Complained: "Complained", Protected: "Protected" } as Readonly<
      Record<string, string>
    >,
    since: "Since",
    empty: "No address is suppressed",
    emptyText: "Addresses that bounce or complain appear here by themselves.",
    add: "Add an address",
    addText: "Mail to it is suppressed from now on, whoever sends it.",
    added: (address: string) => `${address} is suppressed`,
    lift: "Lift",
    lifted: (address: string) => `${address} may receive mail again`
  },
  ...areasEn,
  ...installationEn,
  ...commerceEn,
  ...companyEn,
  ...mailEn,
  ...personalEn,
  ...programsEn,
  parts: { title: "Parts" }
}

/** The shape of the texts of every language. */
export type Texts = typeof en
