/**
 * What someone has to look at: failing domains, stopped webhooks, keys that end or that nothing uses.
 *
 * @module
 */
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { attentionKeys } from "../../lib/keyAge.ts"
import { useNow } from "../../lib/now.ts"
import { Banner } from "../../parts/page/Banner.tsx"
import { Section } from "../../parts/page/Page.tsx"
import styles from "./Home.module.css"

/** The part of Home. */
export const Attention = () => {
  const { homeScreen: texts } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const params = { params: { accountId } }
  const domains = useApi("GET /accounts/:accountId/domains", params, { enabled: can("domains:read") })
  const webhooks = useApi("GET /accounts/:accountId/webhooks", params, { enabled: can("webhooks:read") })
  const keys = useApi("GET /accounts/:accountId/api-keys", params, { enabled: can("keys:read") })
  const now = useNow()
  const { ending, unused } = attentionKeys(keys.data ?? [], now)
  const warnings = [
    ...(domains.data?.items ?? [])
      .filter(({ status }) => status === "Failing")
      .map(({ domain }) => texts.domainFailing(domain)),
    ...(webhooks.data?.items ?? [])
      .filter(({ status }) => status === "Stopped")
      .map(({ url }) => texts.webhookStopped(url)),
    ...ending.map(({ expiresAt, name }) => texts.keyExpires(name, format.relative(new Date(expiresAt), now))),
    ...unused.map(({ name }) => texts.keyUnused(name))
  ]
  return (
    <Section title={texts.attention}>
      {warnings.length === 0 ? (
        <p className={styles["soft"]}>{texts.allWell}</p>
      ) : (
        warnings.map((text) => (
          <Banner key={text} tone="warning">
            {text}
          </Banner>
        ))
      )}
    </Section>
  )
}
