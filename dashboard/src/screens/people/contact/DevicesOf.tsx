/**
 * The devices on which a person opened emails and clicked links.
 *
 * @module
 */
import { useApi } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { Entry, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useRecordTexts } from "../../../texts/records/useRecordTexts.ts"

/** The section of the screen. */
export const DevicesOf = ({
  accountId,
  contactId
}: {
  readonly accountId: string
  readonly contactId: string
}) => {
  const { devices: texts } = useRecordTexts()
  const format = useFormat()
  const query = useApi("GET /accounts/:accountId/contacts/:id/devices", {
    params: { accountId, id: contactId }
  })
  return (
    <Section title={texts.title} text={texts.text}>
      <Loaded query={query}>
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 && <Nothing>{texts.empty}</Nothing>}
            <Rows>
              {items.map(({ clicks, kind, lastSeenAt, opens, program, system }) => (
                <Entry
                  key={`${kind} ${program} ${system}`}
                  text={texts.seen(format.number(opens), opens, format.number(clicks), clicks)}
                  end={<RelativeTime at={lastSeenAt} />}
                >
                  {[kind === null ? null : texts.kinds[kind], program, system]
                    .filter((part) => part !== null)
                    .join(", ")}
                </Entry>
              ))}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
