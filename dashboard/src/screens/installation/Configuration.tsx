/**
 * The effective configuration of the node that responds, with the origin of each value.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import type { ValueOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { wholeList } from "../../api/whole.ts"
import { useTexts } from "../../app/reader.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { InstallationPage } from "./InstallationPage.tsx"

const route = getRouteApi("/shell/installation/configuration")

type Configured = ValueOf<"GET /configuration">["items"][number]

/** The screen. */
export const Configuration = () => {
  const { installation: texts } = useTexts()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const read = useApi("GET /configuration", {})
  const typed = (search.q ?? "").toLowerCase()
  const sources = search.source?.split(",")
  const values = read.data?.items.filter(
    ({ name, source, value }) =>
      `${name} ${value ?? ""}`.toLowerCase().includes(typed) &&
      (sources === undefined || sources.includes(source))
  )
  const columns: ReadonlyArray<Column<Configured>> = [
    {
      key: "name",
      head: texts.variable,
      width: "minmax(14rem, 1.2fr)",
      cell: ({ name }) => <code>{name}</code>
    },
    {
      key: "value",
      head: texts.value,
      width: "minmax(10rem, 2fr)",
      narrow: "second",
      cell: ({ isSecret, value }) =>
        value === null ? (
          texts.notSet
        ) : isSecret ? (
          texts.secretSet
        ) : (
          <code title={value}>{value === "" ? '""' : value}</code>
        )
    },
    {
      key: "source",
      head: texts.source,
      width: "9rem",
      narrow: "end",
      cell: ({ source }) => (
        <Badge tone={source === "Environment" ? "accent" : "neutral"}>{texts.sources[source]}</Badge>
      )
    }
  ]
  return (
    <InstallationPage
      bar={
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          placeholder={texts.searchConfiguration}
          filters={[
            {
              key: "source",
              label: texts.source,
              options: optionsOf(texts.sources)
            }
          ]}
        />
      }
    >
      <List
        label={texts.tabs.configuration}
        list={wholeList({ ...read, data: values })}
        columns={columns}
        keyOf={({ name }) => name}
        isFiltered={typed !== "" || sources !== undefined}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="settings" title={texts.noValues}>
            {texts.noValuesText}
          </EmptyState>
        }
      />
    </InstallationPage>
  )
}
