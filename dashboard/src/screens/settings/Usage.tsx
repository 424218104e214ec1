/**
 * How much of its limits the account uses.
 *
 * @module
 */
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Progress } from "../../parts/show/Progress.tsx"
import styles from "./Settings.module.css"

/** The numbers, each with a bar if there is a limit. */
export const Usage = ({ accountId }: { readonly accountId: string }) => {
  const { usage: texts } = useTexts()
  const format = useFormat()
  const query = useApi("GET /accounts/:accountId/usage", { params: { accountId } })
  return (
    <Section title={texts.title}>
      <Loaded query={query}>
        {({ contacts, emailsToday, limits }) => (
          <Card>
            {(
              [
                [texts.contacts, contacts, limits.contactLimit],
                [texts.emails, emailsToday, limits.dailySendLimit]
              ] as const
            ).map(([name, used, limit]) => (
              <div key={name} className={styles["usage"]}>
                <strong>{name}</strong>
                {limit === null ? (
                  <span className={styles["soft"]}>{texts.unlimited(format.number(used))}</span>
                ) : (
                  <Progress
                    label={name}
                    share={limit === 0 ? 1 : used / limit}
                    text={texts.of(format.number(used), format.number(limit))}
                  />
                )}
              </div>
            ))}
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
