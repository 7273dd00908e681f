CREATE TABLE calibrations (
 uuid TEXT NOT NULL,
 made_ms INTEGER NOT NULL,
 device INTEGER NOT NULL,
 driver TEXT NOT NULL,
 build TEXT NOT NULL,
 sweep TEXT NOT NULL,
 calibration TEXT NOT NULL,
 PRIMARY KEY (uuid, made_ms)) WITHOUT ROWID;
