/**
 * The topics a person has on and off, by choice or by default.
 *
 * @module
 */
import { useApi } from "../../../api/queries.ts"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Entry, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { useRecordTexts } from "../../../texts/records/useRecordTexts.ts"

/** The section of the screen. */
export const TopicsOf = ({
  accountId,
  contactId
}: {
  readonly accountId: string
  readonly contactId: string
}) => {
  const { topicsOf: texts } = useRecordTexts()
  const query = useApi("GET /accounts/:accountId/contacts/:id/topics", {
    params: { accountId, id: contactId }
  })
  return (
    <Section title={texts.title}>
      <Loaded query={query}>
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 && <Nothing>{texts.empty}</Nothing>}
            <Rows>
              {items.map(({ chosen, key, name, on }) => (
                <Entry
                  key={key}
                  text={chosen ? texts.chosen : texts.byDefault}
                  end={<Badge tone={on ? "good" : "neutral"}>{on ? texts.on : texts.off}</Badge>}
                >
                  <bdi>{name}</bdi>
                </Entry>
              ))}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
