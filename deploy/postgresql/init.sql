-- The service's role and database, once, by psql ≥ 15 as a superuser:
--   SVC_DATABASE_PASSWORD_FILE=… psql -v ON_ERROR_STOP=1 -f init.sql postgres
\set password `cat "$SVC_DATABASE_PASSWORD_FILE"`
CREATE ROLE svc LOGIN PASSWORD :'password';
-- The service asks for these at each connection; PgBouncer does not pass them on.
ALTER ROLE svc SET statement_timeout = '30s';
ALTER ROLE svc SET idle_in_transaction_session_timeout = '60s';
CREATE DATABASE svc OWNER svc;
REVOKE ALL ON DATABASE svc FROM PUBLIC;
