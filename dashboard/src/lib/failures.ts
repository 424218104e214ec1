/**
 * Describes in words why a notification did not reach a webhook.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/**
 * Words for failures by code. `failureKinds` has them by the beginning of a code, for families such as `tls_cert_has_expired`.
 */
interface FailureWords {
  readonly failures: Names
  readonly failureKinds: Names
}

/** The words for a code, with the code. An unknown code is returned unchanged. */
export const failureText = (code: string, { failureKinds, failures }: FailureWords): string => {
  const words = failures[code] ?? failureKinds[code.replace(/_.*$/s, "")]
  return words === undefined ? code : `${words} (${code})`
}

/** Why a webhook was stopped: the number of failures and the code of the last one. Any other reason is returned unchanged. */
export const stoppedText = (
  reason: string,
  words: FailureWords & { readonly stopped: (count: string, last: string) => string }
): string => {
  const [, count, last] = /^(\d+) failed deliveries in a row; the last one: (.+)$/s.exec(reason) ?? []
  return count === undefined || last === undefined ? reason : words.stopped(count, failureText(last, words))
}
