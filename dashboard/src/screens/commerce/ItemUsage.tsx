/**
 * Where an item is used: the templates, flows and campaigns that show it.
 *
 * @module
 */
import { type ItemOf, useApi } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { showingOf } from "../../lib/items.ts"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Copied } from "../../parts/show/Code.tsx"
import { useCatalogueTexts } from "../../texts/catalogue/useCatalogueTexts.ts"
import { UsedBy } from "../editors/UsedBy.tsx"

/** The section of the dialog. */
export const ItemUsage = ({ item }: { readonly item: ItemOf<"GET /accounts/:accountId/items"> }) => {
  const { usage: texts } = useCatalogueTexts()
  const { id: accountId } = useAccount()
  const query = useApi("GET /accounts/:accountId/items/:id/usage", { params: { accountId, id: item.id } })
  const showing = showingOf(item)
  return (
    <Section title={texts.title}>
      <Loaded query={query}>
        {({ templates, ...usage }) => (
          <UsedBy
            templates={templates.map(({ by, id, name }) => ({
              id,
              name,
              text: by === "Category" ? texts.byCategory : null
            }))}
            usage={usage}
            none={
              <>
                {item.storeId === null ? texts.unused : texts.unusedOfStore}{" "}
                {showing !== null && <Copied>{showing}</Copied>}
              </>
            }
          />
        )}
      </Loaded>
    </Section>
  )
}
