/**
 * The headers from which providers return, in their reports, the delivery to which a message belongs. Pure.
 *
 * @module
 */
import type { RelayKind } from "../../model/MailRelay.ts"
import { referenceName } from "../../model/RelayReport.ts"
import type { ExtraHeader } from "../../model/Submission.ts"

/**
 * The headers of a message with a reference, for a kind of relay. Providers remove them before they send the message on, as
 * far as they document it (docs/relays.md "What recipients see"). Mailgun leaves its header in the message
 * (documentation.mailgun.com, Attaching Metadata to Messages). Resend has no such header; it reports the Message-ID, as other
 * servers do in their reports by email. The reference has only letters and digits, at most 80, which is the maximum of
 * Postmark.
 *
 * @param configurationSet the configuration set of Amazon SES, which reports tags only with one; null for none
 */
export const referenceHeaders = (
  kind: RelayKind,
  reference: string,
  configurationSet: string | null = null
): ReadonlyArray<ExtraHeader> => {
  const json = (value: object): string => JSON.stringify(value)
  const named = { [referenceName]: reference }
  switch (kind) {
    case "AmazonSes":
      return [
        ...(configurationSet === null ? [] : [{ name: "X-SES-CONFIGURATION-SET", value: configurationSet }]),
        { name: "X-SES-MESSAGE-TAGS", value: `${referenceName}=${reference}` }
      ]
    case "Postmark":
      return [{ name: `X-PM-Metadata-${referenceName}`, value: reference }]
    case "SendGrid":
      return [{ name: "X-SMTPAPI", value: json({ unique_args: named }) }]
    case "Brevo":
      return [{ name: "X-Mailin-custom", value: reference }]
    case "Mailjet":
      return [{ name: "X-MJ-CustomID", value: reference }]
    case "SparkPost":
      return [{ name: "X-MSYS-API", value: json({ metadata: named }) }]
    case "Mailgun":
    case "Resend":
    case "Smtp":
      return []
  }
}

/**
 * Headers that providers interpret as commands. With them, a tenant could evade the reports of a relay that others use too.
 */
const commands =
  /^(?:x-(?:ses-|pm-|mailgun-|smtpapi$|mailin-|sib-|mailjet-|mj-|msys-|resend-)|resend-|sender\.ip$)/i

/** Whether a provider may interpret a header as a command. */
export const isCommand = ({ name }: ExtraHeader): boolean => commands.test(name)
