/**
 * Says in words why a notification did not reach a webhook.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The words of failures, by their codes, and of codes that begin alike, such as `tls_cert_has_expired`, by what they begin with. */
interface FailureWords {
  readonly failures: Names
  readonly failureKinds: Names
}

/** The words of a code with the code; a code that has none is shown as it is. */
export const failureText = (code: string, { failureKinds, failures }: FailureWords): string => {
  const words = failures[code] ?? failureKinds[code.replace(/_.*$/s, "")]
  return words === undefined ? code : `${words} (${code})`
}

/** Why a webhook stopped: after how many failures, of which the last is named by its code. Another reason is shown as it is. */
export const stoppedText = (
  reason: string,
  words: FailureWords & { readonly stopped: (count: string, last: string) => string }
): string => {
  const [, count, last] = /^(\d+) failed deliveries in a row; the last one: (.+)$/s.exec(reason) ?? []
  return count === undefined || last === undefined ? reason : words.stopped(count, failureText(last, words))
}
