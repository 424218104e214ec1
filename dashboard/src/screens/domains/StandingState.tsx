/**
 * The state of an account's standing with its reasons, as both the account's members and operators see it.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { useFormat } from "../../app/reader.tsx"
import type { Tone } from "../../parts/show/Badge.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"

/** An account's standing. */
export type Standing = ValueOf<"GET /accounts/:accountId/standing">

/** The colour of each state. */
export const standingTones: Readonly<Record<Standing["state"], Tone>> = {
  Good: "good",
  Notice: "warning",
  Held: "bad"
}

/** Names a provider of the standing by its key. */
export const providerIn =
  ({ providers }: Pick<Standing, "providers">) =>
  (key: string): string =>
    providers.find((provider) => provider.key === key)?.name ?? key

/** The reasons as sentences. */
export const useReasons = () => {
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  return ({ providers, reasons }: Standing): ReadonlyArray<string> =>
    reasons.map(({ days, provider, rate, threshold, value }) => {
      const sentence = texts.reason(
        texts.rateNames[rate] ?? rate,
        format.percent(value),
        format.percent(threshold),
        texts.daysOf[String(days)] ?? String(days)
      )
      return provider === null ? sentence : `${sentence} (${texts.at(providerIn({ providers })(provider))})`
    })
}
