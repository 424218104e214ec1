/**
 * The texts of the installation's emails to its users, in the users' languages. Pure functions.
 *
 * @module
 */
import { productName } from "../kernel/Names.ts"
import type { User } from "../model/User.ts"
import type { PauseReason } from "../model/Campaign.ts"
import type { CampaignNews, NoticeAction, NoticePlace } from "../model/UserMail.ts"
import type { EmailText } from "../sending/emails/EmailContent.ts"

/** An email to a user, before it is written. `url` is the address of its link. */
export type Letter =
  | { readonly kind: "Invitation"; readonly company: string | null; readonly url: string }
  | { readonly kind: "Reset"; readonly url: string }
  | {
      readonly kind: "Standing"
      readonly isHeld: boolean
      readonly company: string
      readonly url: string
    }
  | {
      readonly kind: "Campaign"
      readonly news: CampaignNews
      readonly reason: PauseReason | null
      readonly name: string
      readonly url: string
    }
  | ({
      readonly kind: "Notice"
      readonly action: NoticeAction
      /** Epoch milliseconds. */
      readonly at: number
      readonly url: string
    } & NoticePlace)

/** The languages of letters. Users of any other language get English. */
export const letterLanguages = ["en", "de"] as const

/** A language of letters. */
export type LetterLanguage = (typeof letterLanguages)[number]

interface Texts {
  readonly invitation: {
    readonly subject: (host: string) => string
    readonly text: (host: string, company: string | null) => string
    readonly link: string
    readonly validity: string
  }
  readonly reset: {
    readonly subject: (host: string) => string
    readonly text: (host: string) => string
    readonly link: string
    readonly validity: string
  }
  readonly standing: {
    /** Subject, text and closing: when marketing is held, and when it is released. */
    readonly held: readonly [subject: string, text: (company: string) => string, closing: string]
    readonly released: readonly [subject: string, text: (company: string) => string, closing: string]
    readonly link: string
  }
  readonly campaign: Readonly<
    Record<
      CampaignNews,
      readonly [subject: string, text: (name: string, why: string) => string, closing: string]
    >
  > & { readonly link: string; readonly reasons: Readonly<Record<PauseReason, string>> }
  /** The subject and the sentence for each action. */
  readonly notices: Readonly<Record<NoticeAction, readonly [subject: string, text: string]>>
  readonly notYou: string
  readonly open: string
  readonly time: string
  readonly network: string
  readonly browser: string
  readonly footer: (host: string) => string
}

const texts: Readonly<Record<LetterLanguage, Texts>> = {
  en: {
    invitation: {
      subject: (host) => `Your invitation to ${host}`,
      text: (host, company) =>
        company === null
          ? `You are invited to ${productName} at ${host}.`
          : `You are invited to the company “${company}” in ${productName} at ${host}.`,
      link: "Accept the invitation",
      validity: "The link is valid for 72 hours and works once. If you do not expect it, ignore this email."
    },
    reset: {
      subject: (host) => `Set a new password for ${host}`,
      text: (host) => `Someone asked for a new password for your user at ${host}.`,
      link: "Set a new password",
      validity:
        "The link is valid for one hour and works once. If it was not you, ignore this email: your password stays as it is."
    },
    standing: {
      held: [
        "Marketing email is held",
        (company) =>
          `The marketing email of “${company}” waits, because too many of its emails bounced or were marked as spam. Transactional email is not affected.`,
        "The rates and their thresholds are shown there. Marketing that waits longer than 72 hours is not sent."
      ],
      released: [
        "Marketing email is sent again",
        (company) => `The marketing email of “${company}” is no longer held.`,
        "It increases from 1,000 emails on the first day, twice as many each day for five days."
      ],
      link: "See the standing"
    },
    campaign: {
      Paused: [
        "Your campaign is paused",
        (name, why) => `The campaign “${name}” is paused: ${why}.`,
        "It sends nothing until a person resumes it. Everyone who has not got it yet is kept."
      ],
      Sent: [
        "Your campaign is sent",
        (name) => `The campaign “${name}” is sent: every email was attempted.`,
        "Emails that servers put off are tried again on their own."
      ],
      Deciding: [
        "Pick the winner of your campaign",
        (name) =>
          `The test of the campaign “${name}” has ended, and a person is to pick the variant that wins.`,
        "The rest of the audience waits for it."
      ],
      Unsubscribed: [
        "Many people unsubscribed by your campaign",
        (name) => `2 % or more of those who got the campaign “${name}” unsubscribed by it.`,
        "It is not paused for this. See whom it was for, and how often they get email."
      ],
      Requested: [
        "A campaign waits for your approval",
        (name) => `You are asked to approve the campaign “${name}” before it is launched.`,
        "Any other user who may send campaigns can approve or reject it too."
      ],
      link: "Open the campaign",
      reasons: {
        "campaigns.paused_by_operator": "a person paused it",
        "campaigns.check_failed": "a check did not pass when its time came",
        "campaigns.complaints": "too many people complained",
        "campaigns.bounces": "too many addresses bounced",
        "campaigns.render_failures": "its content did not render for too many people",
        "campaigns.sender_failing": "its sender is no longer on a verified domain",
        "campaigns.standing": "the account's marketing is held by its standing"
      }
    },
    notices: {
      "session.opened": ["New sign-in", "Your user signed in with a browser that was not used before."],
      "user.password_set": ["Your password was changed", "The password of your user was changed."],
      "user.factor_added": ["One-time codes were added", "One-time codes were added to your user."],
      "user.factor_removed": ["One-time codes were removed", "One-time codes were removed from your user."],
      "user.recovery_codes_made": [
        "New recovery codes",
        "New recovery codes were made for your user. The codes of before do not work any more."
      ],
      "user.passkey_added": ["A passkey was added", "A passkey was added to your user."],
      "user.passkey_removed": ["A passkey was removed", "A passkey was removed from your user."],
      "user.passkey_copied": [
        "A copied passkey was refused",
        "A sign-in was refused: its passkey seems to be a copy. Remove the passkey and add a new one."
      ]
    },
    notYou: "If it was not you, sign in, change your password, check your passkeys and sign out everywhere.",
    open: "Open your profile",
    time: "Time",
    network: "Network",
    browser: "Browser",
    footer: (host) => `You get this email as a user of ${productName} at ${host}.`
  },
  de: {
    invitation: {
      subject: (host) => `Ihre Einladung zu ${host}`,
      text: (host, company) =>
        company === null
          ? `Sie sind zu ${productName} auf ${host} eingeladen.`
          : `Sie sind in die Firma „${company}“ in ${productName} auf ${host} eingeladen.`,
      link: "Einladung annehmen",
      validity:
        "Der Link gilt 72 Stunden und funktioniert einmal. Wenn Sie keine Einladung erwarten, ignorieren Sie diese E-Mail."
    },
    reset: {
      subject: (host) => `Neues Passwort für ${host}`,
      text: (host) => `Jemand hat ein neues Passwort für Ihren Benutzer auf ${host} angefordert.`,
      link: "Neues Passwort setzen",
      validity:
        "Der Link gilt eine Stunde und funktioniert einmal. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist."
    },
    standing: {
      held: [
        "Marketing-E-Mails werden zurückgehalten",
        (company) =>
          `Die Marketing-E-Mails von „${company}“ warten, weil zu viele ihrer E-Mails unzustellbar waren oder als Spam markiert wurden. Transaktions-E-Mails sind nicht betroffen.`,
        "Dort stehen die Raten und ihre Grenzen. Marketing-E-Mails, die länger als 72 Stunden warten, werden nicht gesendet."
      ],
      released: [
        "Marketing-E-Mails werden wieder gesendet",
        (company) => `Die Marketing-E-Mails von „${company}“ werden nicht mehr zurückgehalten.`,
        "Ihre Zahl steigt von 1.000 am ersten Tag, fünf Tage lang täglich auf das Doppelte."
      ],
      link: "Stand ansehen"
    },
    campaign: {
      Paused: [
        "Ihre Kampagne ist pausiert",
        (name, why) => `Die Kampagne „${name}“ ist pausiert: ${why}.`,
        "Sie sendet nichts, bis jemand sie fortsetzt. Wer sie noch nicht bekam, geht nicht verloren."
      ],
      Sent: [
        "Ihre Kampagne ist gesendet",
        (name) => `Die Kampagne „${name}“ ist gesendet: Jede E-Mail wurde versucht.`,
        "E-Mails, die ein Server aufschob, werden von selbst erneut versucht."
      ],
      Deciding: [
        "Wählen Sie den Sieger Ihrer Kampagne",
        (name) => `Der Test der Kampagne „${name}“ ist vorbei; jemand muss die Variante wählen, die gewinnt.`,
        "Die übrigen Empfänger warten darauf."
      ],
      Unsubscribed: [
        "Viele Personen haben sich durch Ihre Kampagne abgemeldet",
        (name) => `2 % oder mehr derer, die die Kampagne „${name}“ bekamen, haben sich durch sie abgemeldet.`,
        "Sie ist deshalb nicht pausiert. Sehen Sie nach, für wen sie war und wie oft diese Personen E-Mails bekommen."
      ],
      Requested: [
        "Eine Kampagne wartet auf Ihre Freigabe",
        (name) => `Sie werden gebeten, die Kampagne „${name}“ freizugeben, bevor sie startet.`,
        "Auch andere Benutzer, die Kampagnen senden dürfen, können sie freigeben oder ablehnen."
      ],
      link: "Kampagne öffnen",
      reasons: {
        "campaigns.paused_by_operator": "jemand hat sie pausiert",
        "campaigns.check_failed": "eine Prüfung schlug fehl, als ihre Zeit kam",
        "campaigns.complaints": "zu viele Personen beschwerten sich",
        "campaigns.bounces": "zu viele Adressen waren unzustellbar",
        "campaigns.render_failures": "ihr Inhalt ließ sich für zu viele Personen nicht erstellen",
        "campaigns.sender_failing": "ihr Absender ist nicht mehr auf einer bestätigten Domain",
        "campaigns.standing": "Werbung des Kontos wird wegen seines Stands zurückgehalten"
      }
    },
    notices: {
      "session.opened": [
        "Neue Anmeldung",
        "Ihr Benutzer hat sich in einem Browser angemeldet, der vorher nicht benutzt wurde."
      ],
      "user.password_set": ["Ihr Passwort wurde geändert", "Das Passwort Ihres Benutzers wurde geändert."],
      "user.factor_added": [
        "Einmalcodes wurden hinzugefügt",
        "Ihrem Benutzer wurden Einmalcodes hinzugefügt."
      ],
      "user.factor_removed": [
        "Einmalcodes wurden entfernt",
        "Die Einmalcodes Ihres Benutzers wurden entfernt."
      ],
      "user.recovery_codes_made": [
        "Neue Wiederherstellungscodes",
        "Für Ihren Benutzer wurden neue Wiederherstellungscodes erstellt. Die bisherigen gelten nicht mehr."
      ],
      "user.passkey_added": [
        "Ein Passkey wurde hinzugefügt",
        "Ihrem Benutzer wurde ein Passkey hinzugefügt."
      ],
      "user.passkey_removed": ["Ein Passkey wurde entfernt", "Ein Passkey Ihres Benutzers wurde entfernt."],
      "user.passkey_copied": [
        "Ein kopierter Passkey wurde abgelehnt",
        "Eine Anmeldung wurde abgelehnt: Ihr Passkey ist anscheinend eine Kopie. Entfernen Sie den Passkey und fügen Sie einen neuen hinzu."
      ]
    },
    notYou:
      "Wenn Sie das nicht waren, melden Sie sich an, ändern Sie Ihr Passwort, prüfen Sie Ihre Passkeys und melden Sie sich überall ab.",
    open: "Profil öffnen",
    time: "Zeit",
    network: "Netz",
    browser: "Browser",
    footer: (host) => `Sie erhalten diese E-Mail als Benutzer von ${productName} auf ${host}.`
  }
}

/** The language of letters to a user. */
export const languageOf = ({ language }: Pick<User, "language">): LetterLanguage => {
  const primary = (language ?? "").split("-")[0]!.toLowerCase()
  return letterLanguages.find((one) => one === primary) ?? "en"
}

/** The content of a letter, before it is written as HTML and text. */
interface Parts {
  readonly subject: string
  readonly text: string
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
  readonly link: string
  readonly closing: string
}

const partsOf = (letter: Letter, language: LetterLanguage, timeZone: string | null, host: string): Parts => {
  const words = texts[language]
  if (letter.kind === "Invitation") {
    const { link, subject, text, validity } = words.invitation
    return { subject: subject(host), text: text(host, letter.company), facts: [], link, closing: validity }
  }
  if (letter.kind === "Reset") {
    const { link, subject, text, validity } = words.reset
    return { subject: subject(host), text: text(host), facts: [], link, closing: validity }
  }
  if (letter.kind === "Standing") {
    const { held, link, released } = words.standing
    const [subject, text, closing] = letter.isHeld ? held : released
    return { subject: `${subject}: ${host}`, text: text(letter.company), facts: [], link, closing }
  }
  if (letter.kind === "Campaign") {
    const { link, reasons } = words.campaign
    const [subject, text, closing] = words.campaign[letter.news]
    const name = oneLine(letter.name)
    const why = letter.reason === null ? "" : reasons[letter.reason]
    return { subject: `${subject}: ${host}`, text: text(name, why), facts: [], link, closing }
  }
  const [subject, text] = words.notices[letter.action]
  const at = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    dateStyle: "long",
    timeStyle: "long",
    timeZone: timeZone ?? "UTC"
  }).format(letter.at)
  const facts = [
    [words.time, at],
    [words.network, letter.network],
    [words.browser, letter.userAgent]
  ] as const
  return {
    subject: `${subject}: ${host}`,
    text,
    facts: facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    link: words.open,
    closing: words.notYou
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!)

/** Puts a string that people or programs chose on one line, without characters that cannot be stored. */
const oneLine = (text: string): string => text.toWellFormed().replaceAll(/\p{Cc}+/gu, " ")

/** Writes a letter as an email with HTML and text, in the user's language and time zone. `host` names the installation. */
export const writeLetter = (
  letter: Letter,
  user: Pick<User, "language" | "timeZone">,
  host: string
): EmailText => {
  const language = languageOf(user)
  const { closing, facts, link, subject, text } = partsOf(letter, language, user.timeZone, host)
  const footer = texts[language].footer(host)
  const shown = facts.map(([name, value]) => [name, oneLine(value)] as const)
  const lines = [
    oneLine(text),
    ...(shown.length === 0 ? [] : [shown.map(([name, value]) => `${name}: ${value}`).join("\n")]),
    `${link}:\n${letter.url}`,
    closing,
    `-- \n${footer}`
  ]
  const rows = shown.map(
    ([name, value]) =>
      `<tr><td style="padding:2px 12px 2px 0;color:#555">${escaped(name)}</td><td style="padding:2px 0">${escaped(value)}</td></tr>`
  )
  const html = [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff"><div style="max-width:560px;margin:0 auto">`,
    `<p>${escaped(oneLine(text))}</p>`,
    rows.length === 0 ? "" : `<table role="presentation" style="font-size:14px">${rows.join("")}</table>`,
    `<p><a href="${escaped(letter.url)}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#1a56db;color:#fff;text-decoration:none">${escaped(link)}</a></p>`,
    `<p style="font-size:14px;overflow-wrap:anywhere">${escaped(letter.url)}</p>`,
    `<p>${escaped(closing)}</p>`,
    `<p style="font-size:13px;color:#555">${escaped(footer)}</p>`,
    `</div></body></html>`
  ]
  return { subject, html: html.join("\n"), text: lines.join("\n\n") }
}
