// What whoever is here may do, by the role of the token: what the server would refuse is said before anybody tries.
import { signal } from "@preact/signals";

const ROLES = ["read", "submit", "admin"];

/** Who asks, as GET /client has it; null: nobody knows yet, and all is offered. */
export const client = signal(null);

/** Why something that needs a role cannot be done; empty: it can. `what` is it, at the beginning of a sentence. */
export function lacking(role, what = "This") {
  const own = client.value?.role;
  return own && ROLES.indexOf(own) < ROLES.indexOf(role) ? `${what} takes a token of the role ${role}; yours has ${own}.` : "";
}
