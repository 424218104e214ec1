/**
 * Instructions for sending email through the account by SMTP.
 *
 * @module
 */
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { Card, Facts, Page, Section } from "../../parts/page/Page.tsx"
import { CodeSample } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { smtpSamples } from "./smtpSamples.ts"
import styles from "./Smtp.module.css"

/** The screen. */
export const Smtp = () => {
  const { developers, smtp: texts } = useTexts()
  const { can, id: accountId, mode } = useAccount()
  const host = location.hostname
  const copied = (value: string, text?: string) => (
    <span className={styles["fact"]}>
      <code>{value}</code>
      <CopyButton value={value} />
      {text !== undefined && <span>{text}</span>}
    </span>
  )
  return (
    <Page isList title={developers.title}>
      <AreaTabs area="developers" />
      <div className={styles["content"]}>
        <Section title={texts.settings} text={texts.text}>
          <Card>
            <Facts
              facts={[
                [texts.host, copied(host, texts.hostText)],
                [texts.port, copied("587", texts.portText)],
                [texts.user, copied("svc")],
                [
                  texts.password,
                  <span key="password" className={styles["fact"]}>
                    <span>{texts.passwordText}</span>
                    {can("keys:write") && (
                      <ButtonLink isSmall to="/a/$accountId/developers" params={{ accountId }}>
                        {texts.createKey}
                      </ButtonLink>
                    )}
                  </span>
                ],
                [texts.from, texts.fromText]
              ]}
            />
          </Card>
        </Section>
        <Section title={texts.examples}>
          <CodeSample
            label={texts.examples}
            samples={smtpSamples(host, mode === "live" ? "svc_live_..." : "svc_test_...")}
          />
        </Section>
      </div>
    </Page>
  )
}
