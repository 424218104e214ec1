/**
 * The first steps in an account. Each step is ticked automatically, and the list disappears when all are done.
 *
 * @module
 */
import { Fragment, type ReactNode, useState } from "react"
import { useExtra, useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { classes } from "../../lib/classes.ts"
import { Button, ButtonLink } from "../../parts/form/Button.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Icon } from "../../parts/page/Icon.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { SecretOnce } from "../../parts/show/Code.tsx"
import styles from "./Home.module.css"

/** How often the list checks whether a step was done elsewhere, in milliseconds. */
const lookMillis = 5_000

const sample = (key: string): string =>
  `curl -sS ${location.origin}/api/v1/sending/emails \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"to":"ada@example.org","subject":"Hello","html":"<p>It works.</p>"}'`

const Item = ({
  children,
  isDone,
  text,
  title
}: {
  readonly isDone: boolean
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}) => {
  const { common } = useTexts()
  return (
    <li className={classes(styles["step"], isDone && styles["done"])}>
      <span className={styles["tick"]}>{isDone && <Icon name="check" size={12} />}</span>
      <div>
        <h3>
          {title}
          {isDone && <span className={styles["hidden"]}> ({common.done})</span>}
        </h3>
        {!isDone && <p className={styles["soft"]}>{text}</p>}
      </div>
      {!isDone && children}
    </li>
  )
}

/** The list; nothing if the role allows none of the steps, or if all are done. */
export const Checklist = () => {
  const { homeScreen: texts } = useTexts()
  const { can, canInCompany, company, id: accountId, mode } = useAccount()
  const [key, setKey] = useState<string | null>(null)
  const create = useChange("POST /accounts/:accountId/api-keys")
  const params = { params: { accountId } }
  const one = { ...params, query: { limit: 1 } }
  const emails = useExtra("GET /accounts/:accountId/emails", one, {
    enabled: can("emails:read"),
    ...(key === null ? {} : { refetchInterval: lookMillis })
  })
  const domains = useExtra("GET /accounts/:accountId/domains", params, { enabled: can("domains:read") })
  const webhooks = useExtra("GET /accounts/:accountId/webhooks", params, { enabled: can("webhooks:read") })
  const contacts = useExtra("GET /accounts/:accountId/contacts", one, { enabled: can("contacts:read") })
  const members = useExtra(
    "GET /companies/:companyId/members",
    { params: { companyId: company.id }, query: { pageSize: 2 } },
    { enabled: canInCompany("members:read") }
  )
  const hasDomain = domains?.items.some(({ status }) => status === "Verified")
  // The live account sends nothing until a domain is verified.
  const isHeld = mode === "live" && hasDomain === false
  const steps = [
    { name: "firstEmail", isDone: emails && emails.totalCount > 0, may: can("keys:write") },
    { name: "domain", isDone: hasDomain, may: can("domains:write"), to: "/a/$accountId/domains" },
    {
      name: "colleague",
      isDone: members && members.totalCount > 1,
      may: canInCompany("members:write"),
      to: "/a/$accountId/settings/members"
    },
    {
      name: "webhook",
      isDone: webhooks && webhooks.items.length > 0,
      may: can("webhooks:write"),
      to: "/a/$accountId/developers/webhooks"
    },
    {
      name: "people",
      isDone: contacts && contacts.totalCount > 0,
      may: can("contacts:import"),
      to: "/a/$accountId/people"
    }
  ] as const
  const shown = steps.filter(({ isDone, may }) => may && isDone !== undefined)
  const hasAll = shown.every(({ isDone }) => isDone === true)
  if (key === null && hasAll) return null
  const makeKey = () =>
    create.mutate(
      { ...params, body: { name: texts.keyName, permissions: ["emails:send"], expiresInDays: 90 } },
      { onSuccess: (made) => setKey(made.key) }
    )
  return (
    <Section title={texts.begin} text={texts.beginText}>
      <Card isFlush>
        <ul>
          {shown.map((step) => (
            <Fragment key={step.name}>
              <Item
                isDone={step.isDone === true}
                title={texts[step.name]}
                text={step.name === "firstEmail" && isHeld ? texts.firstEmailHeld : texts[`${step.name}Text`]}
              >
                {"to" in step ? (
                  <ButtonLink isSmall to={step.to} params={{ accountId }}>
                    {texts.goThere}
                  </ButtonLink>
                ) : isHeld ? (
                  <ButtonLink
                    isSmall
                    tone="primary"
                    to="/a/$accountId"
                    params={{ accountId: company.sandbox.accountId }}
                  >
                    {texts.tryInSandbox}
                  </ButtonLink>
                ) : (
                  key === null && (
                    <Button isSmall tone="primary" icon="key" isBusy={create.isPending} onClick={makeKey}>
                      {texts.createKey}
                    </Button>
                  )
                )}
              </Item>
              {step.name === "firstEmail" && key !== null && (
                <li className={styles["sample"]}>
                  <SecretOnce label="curl" secret={sample(key)} note={texts.keyOnce} />
                  {step.isDone === true && mode === "sandbox" && (
                    <ButtonLink isSmall icon="inbox" to="/a/$accountId/emails/inbox" params={{ accountId }}>
                      {texts.showInbox}
                    </ButtonLink>
                  )}
                </li>
              )}
            </Fragment>
          ))}
        </ul>
        {create.error !== null && <ErrorBanner error={create.error} />}
      </Card>
    </Section>
  )
}
