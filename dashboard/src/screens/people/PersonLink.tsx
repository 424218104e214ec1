/**
 * A link to a person of whom a list has the id alone.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { read } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { Skeleton } from "../../parts/page/Empty.tsx"
import { nameOf } from "./consent.ts"

/** The link, with the person's name; the id where the role may not read it, or the person is gone. */
export const PersonLink = ({ contactId }: { readonly contactId: string }) => {
  const { can, id: accountId } = useAccount()
  const mayRead = can("contacts:read")
  const { data, isLoading } = useQuery({
    ...read("GET /accounts/:accountId/contacts/:id", { params: { accountId, id: contactId } }),
    enabled: mayRead,
    meta: { isExtra: true }
  })
  if (isLoading) return <Skeleton width="8rem" />
  if (data === undefined) return <code>{contactId}</code>
  return (
    <Link to="/a/$accountId/people/contacts/$contactId" params={{ accountId, contactId }}>
      <bdi>{nameOf(data)}</bdi>
    </Link>
  )
}
