/**
 * The settings with which the reports of each kind of relay are verified, and which of them are secret. Pure.
 *
 * @module
 */
import type { RelayKind } from "../../model/MailRelay.ts"
import type { SignatureVerifier } from "../../ports/SignatureVerifier.ts"
import { fromBase64 } from "../../shared/Bytes.ts"
import { Issues, type Problem } from "../../shared/Problem.ts"
import type { Result } from "effect"

/** All fields of `feedback`, for all kinds of relays. */
export const feedbackNames = [
  "topicArn",
  "configurationSet",
  "publicKey",
  "signingKey",
  "secret",
  "username",
  "password"
] as const
export type FeedbackName = (typeof feedbackNames)[number]

/** The secret fields. The API shows only whether they are set. */
export const secretNames: ReadonlySet<FeedbackName> = new Set(["signingKey", "secret", "password"])

/** The fields of a kind: those that verification requires, and optional ones. */
interface FieldsOfKind {
  readonly required: ReadonlyArray<FeedbackName>
  readonly optional?: ReadonlyArray<FeedbackName>
}

const basic: FieldsOfKind = { required: ["username", "password"] }

const fieldsOf: Readonly<Record<RelayKind, FieldsOfKind>> = {
  Smtp: { required: [] },
  AmazonSes: { required: ["topicArn"], optional: ["configurationSet"] },
  SendGrid: { required: ["publicKey"] },
  Mailgun: { required: ["signingKey"] },
  Resend: { required: ["secret"] },
  Postmark: basic,
  Brevo: basic,
  Mailjet: basic,
  SparkPost: basic
}

/** The fields of a kind, in order. */
export const feedbackOfKind = (kind: RelayKind): ReadonlyArray<FeedbackName> => {
  const { optional = [], required } = fieldsOf[kind]
  return [...required, ...optional]
}

/** The values of a relay's `feedback`, including secret ones. */
export type FeedbackValues = Readonly<Partial<Record<FeedbackName, string>>>

/** Whether reports of a relay can be verified. */
export const isReporting = (kind: RelayKind, values: FeedbackValues): boolean =>
  fieldsOf[kind].required.length > 0 && fieldsOf[kind].required.every((name) => values[name] !== undefined)

/** The fields that a request sets. Null removes a field, and a field that is left out stays. */
export type GivenFeedback = Readonly<Partial<Record<FeedbackName, string | null | undefined>>>

/**
 * The key in a secret of Standard Webhooks: base64 of 16 to 64 bytes, with or without the prefix `whsec_`; null for any other
 * text.
 */
export const standardKey = (secret: string): Uint8Array | null => {
  const key = fromBase64(secret.replace(/^whsec_/, ""))
  return key === null || key.length < 16 || key.length > 64 ? null : key
}

const form =
  (pattern: RegExp) =>
  (value: string): boolean =>
    pattern.test(value)

/** The form of each field, for messages: "<field> must be ...". */
const forms: Readonly<
  Record<
    FeedbackName,
    {
      readonly expected: string
      readonly accepts: (value: string, verifier: SignatureVerifier["Service"]) => boolean
    }
  >
> = {
  topicArn: {
    expected: "the ARN of a topic of SNS",
    accepts: form(/^arn:aws(?:-[a-z]{1,10}){0,3}:sns:[a-z0-9-]{1,30}:\d{12}:[A-Za-z0-9_-]{1,256}$/)
  },
  // The name is sent in a header.
  configurationSet: {
    expected: "the name of a configuration set: letters, digits, hyphens and underscores, at most 64",
    accepts: form(/^[A-Za-z0-9_-]{1,64}$/)
  },
  publicKey: {
    expected: "the verification key, as SendGrid shows it",
    accepts: (value, verifier) => value.length <= 1_000 && verifier.isEcKey(value)
  },
  signingKey: {
    expected: "the HTTP webhook signing key of Mailgun, at most 200 characters",
    accepts: form(/^[\x21-\x7e]{1,200}$/)
  },
  secret: {
    expected: "the signing secret of the webhook, which begins with whsec_",
    accepts: (value) => value.length <= 200 && standardKey(value) !== null
  },
  // RFC 7617, 2: a colon would end the user name.
  username: {
    expected: "a user name without colons, at most 200 characters",
    accepts: form(/^[\x21-\x39\x3b-\x7e]{1,200}$/)
  },
  password: {
    expected: "a password of at most 200 printable characters",
    accepts: form(/^[\x21-\x7e]{1,200}$/)
  }
}

/** The fields after a request. Fields named in the request are replaced; the others stay. */
export const changedFeedback = (
  kind: RelayKind,
  before: FeedbackValues,
  given: GivenFeedback | null,
  verifier: SignatureVerifier["Service"]
): Result.Result<FeedbackValues, Problem> => {
  const issues = new Issues()
  const allowed = feedbackOfKind(kind)
  const after: Partial<Record<FeedbackName, string>> = given === null ? {} : { ...before }
  for (const name of feedbackNames) {
    const value = given?.[name]
    if (value === undefined) continue
    const text = value?.trim() ?? ""
    if (!allowed.includes(name)) {
      if (text !== "") issues.add("relays.feedback_unknown", `feedback.${name}`, null, { kind })
    } else if (text === "") delete after[name]
    else if (forms[name].accepts(text, verifier)) after[name] = text
    else issues.add("validation.format", `feedback.${name}`, null, { expected: forms[name].expected })
  }
  const { required } = fieldsOf[kind]
  // Either all required fields are set or none, since some of them alone verify nothing.
  if (issues.count === 0 && Object.keys(after).length > 0) {
    for (const name of required) {
      if (after[name] === undefined) issues.add("validation.required", `feedback.${name}`)
    }
  }
  return issues.result(after)
}
