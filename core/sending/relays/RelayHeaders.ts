/**
 * The headers by which providers give back, in their reports, which delivery a message is of. Pure.
 *
 * @module
 */
import type { RelayKind } from "../../model/MailRelay.ts"
import { referenceName } from "../../model/RelayReport.ts"
import type { ExtraHeader } from "../../model/Submission.ts"

/**
 * The headers of a relay's kind for a message with a reference, which providers take out before they send the message on, as far as
 * they publish it (docs/relays.md, What recipients see). Mailgun leaves its own in (documentation.mailgun.com, Attaching Metadata to Messages), and Resend
 * has none: both give back the Message-ID, as other servers do in their reports by mail. The reference has letters and digits alone, at most 80, the most
 * that Postmark takes.
 *
 * @param configurationSet of Amazon SES, which reports tags only with one; null for none
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

/** Headers that providers take for commands. A tenant who sent one could evade the reports of a relay that others use. */
const commands =
  /^(?:x-(?:ses-|pm-|mailgun-|smtpapi$|mailin-|sib-|mailjet-|mj-|msys-|resend-)|resend-|sender\.ip$)/i

/** Whether a provider may take a header for a command. */
export const isCommand = ({ name }: ExtraHeader): boolean => commands.test(name)
