const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The pattern of the route that took a request (`request.route`), null where none did: never the path, which may name a person. */
export function routeOf(route: unknown): string | null {
  return typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string'
    ? route.path
    : null;
}

/** A request's method as a label: one of the few that are ever served, else `other`. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
