-- The service's roles and database, or what an earlier version lacks of them, by psql ≥ 15 as a superuser:
--   SVC_DATABASE_PASSWORD_FILE=… SVC_DATABASE_OWNER_PASSWORD_FILE=… psql -v ON_ERROR_STOP=1 -f init.sql postgres
\set owner_password `cat "$SVC_DATABASE_OWNER_PASSWORD_FILE"`
\set password `cat "$SVC_DATABASE_PASSWORD_FILE"`
-- One owns the tables and migrates; the other serves, with what `svc migrate` grants it.
SELECT format('CREATE ROLE %I', role) FROM unnest(ARRAY['svc', 'svc_serving']) role WHERE to_regrole(role) IS NULL
\gexec
ALTER ROLE svc LOGIN PASSWORD :'owner_password';
ALTER ROLE svc_serving LOGIN PASSWORD :'password';
-- The service asks for these at each connection; PgBouncer does not pass them on.
ALTER ROLE svc_serving SET statement_timeout = '30s';
ALTER ROLE svc_serving SET idle_in_transaction_session_timeout = '60s';
SELECT 'CREATE DATABASE svc OWNER svc' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'svc') \gexec
REVOKE ALL ON DATABASE svc FROM PUBLIC;
GRANT CONNECT ON DATABASE svc TO svc_serving;
