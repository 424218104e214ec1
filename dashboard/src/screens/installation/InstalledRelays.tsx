/**
 * The relays of the installation, with their state and their reports.
 *
 * @module
 */
import { useApi } from "../../api/queries.ts"
import { Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { useRelayTexts } from "../../texts/relays/useRelayTexts.ts"
import { RelayEntry, RelayGuide } from "../settings/relays/RelayEntry.tsx"

/** The section. */
export const InstalledRelays = () => {
  const { installed: texts, title } = useRelayTexts()
  return (
    <Section title={title} text={texts.text} actions={<RelayGuide />}>
      <Loaded query={useApi("GET /relays", { query: { limit: 100 } })}>
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 && <Nothing>{texts.none}</Nothing>}
            <Rows>
              {items.map((relay) => (
                <RelayEntry key={relay.id} relay={relay} />
              ))}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
